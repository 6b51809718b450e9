// node client.js <boardgame.io|pepper> <port> <tables> <actions> <seconds>
// At each table games of four listening seats, one after the other, each of so many actions; who is
// told of their turn acts at once. Prints as JSON the actions of so many seconds, after two seconds
// of warming up, and all of them.

const http = require('http');
const { io } = require('socket.io-client');
const { legal } = require('./game');

const [what, port, tables, length, seconds] = process.argv.slice(2);
const SEATS = ['0', '1', '2', '3'];
const WARMING_UP = 2;
const agent = new http.Agent({ keepAlive: true, noDelay: true });
let actions = 0;

function fail(fault) {
  console.error(fault);
  process.exit(1);
}

function ask(method, path, body, token) {
  const headers = { 'Content-Type': 'application/json' };
  if (token) headers.Authorization = `Bearer ${token}`;
  return new Promise((answered) => {
    const request = http.request({ port, method, path, headers, agent }, (answer) => {
      let said = '';
      answer.setEncoding('utf8').on('data', (more) => { said += more; });
      answer.on('end', () => {
        if (answer.statusCode >= 300) fail(`${method} ${path}: ${answer.statusCode} ${said}`);
        answered(JSON.parse(said));
      });
    });
    request.on('error', fail);
    request.end(body && JSON.stringify(body));
  });
}

const choice = (items) => items[Math.floor(Math.random() * items.length)];
const later = (time) => new Promise((done) => { setTimeout(done, 1000 * time); });

// A game: seats that sit down, each with the function that acts if it is their turn. `listen` is
// told each new state, and says whether the game goes on.

async function boardgameIo(listen) {
  const { matchID } = await ask('POST', '/games/cards/create', { numPlayers: 4 });
  const joined = {};
  for (const playerID of SEATS) {
    const body = { playerID, playerName: `Player ${playerID}` };
    joined[playerID] = await ask('POST', `/games/cards/${matchID}/join`, body);
  }
  return Promise.all(SEATS.map((playerID) => {
    const credentials = joined[playerID].playerCredentials;
    const options = { transports: ['websocket'], forceNew: true };
    const socket = io(`http://127.0.0.1:${port}/cards`, options);
    const play = ({ G, ctx, _stateID }) => {
      if (ctx.currentPlayer !== playerID) return;
      const args = [choice(legal(G.hands[Number(playerID)], G.trick))];
      const payload = { type: 'playCard', args, playerID, credentials };
      socket.emit('update', { type: 'MAKE_MOVE', payload }, _stateID, matchID, playerID);
    };
    socket.on('update', (_match, state) => {
      if (listen(playerID, true)) play(state);
    });
    socket.emit('sync', matchID, playerID, credentials, 4);
    return new Promise((seated) => {
      socket.on('sync', (_match, { state }) => {
        seated({ begin: () => play(state), leave: () => socket.close() });
      });
    });
  }));
}

async function pepper(listen) {
  const seats = await Promise.all(SEATS.map(() => ask('POST', '/v1/players', {})));
  const wishes = SEATS.map((seat) => ({ kind: seat === '0' ? 'me' : 'open' }));
  const body = { players: 4, seats: wishes, rules: { target_score: 1000 } };
  const { id } = await ask('POST', '/v1/games', body, seats[0].token);
  const path = `/v1/games/${id}`;
  for (const seat of SEATS.slice(1)) await ask('POST', `${path}/seats/${seat}`, {}, seats[seat].token);
  return Promise.all(seats.map(({ token }, seat) => new Promise((seated) => {
    const play = ({ you }) => {
      if (you.legal_actions.length) {
        ask('POST', `${path}/actions`, choice(you.legal_actions), token);
      }
    };
    const headers = { Authorization: `Bearer ${token}` };
    const hear = (frame, request) => {
      if (frame.type === 'snapshot') {
        seated({ begin: () => play(frame.view), leave: () => request.destroy() });
      } else if (frame.type === 'event') {
        if (listen(SEATS[seat], frame.event.type !== 'round_dealt')) play(frame);
      }
    };
    const request = http.get({ port, path: `${path}/stream`, headers, agent: false }, (answer) => {
      let said = '';
      answer.setEncoding('utf8').on('data', (more) => {
        said += more;
        const whole = said.split('\n\n');
        said = whole.pop();
        for (const each of whole) {
          const at = each.indexOf('data: ');
          if (at >= 0) hear(JSON.parse(each.slice(at + 6)), request);
        }
      }).on('error', () => {});
    });
  })));
}

async function table(make) {
  for (;;) {
    let heard = 0;
    let finish;
    const finished = new Promise((done) => { finish = done; });
    const seats = await make((seat, isAction) => {
      if (isAction) heard += 1;
      if (isAction && seat === '0') actions += 1;
      if (heard >= 4 * length) finish();
      return Math.ceil(heard / 4) < length;
    });
    seats.forEach(({ begin }) => begin());
    await finished;
    seats.forEach(({ leave }) => leave());
  }
}

async function main() {
  const make = what === 'pepper' ? pepper : boardgameIo;
  for (let number = 0; number < Number(tables); number += 1) table(make).catch(fail);
  await later(WARMING_UP);
  const [before, began] = [actions, performance.now()];
  await later(Number(seconds));
  const taken = (performance.now() - began) / 1000;
  console.log(JSON.stringify({ actions: actions - before, seconds: taken, all: actions }));
  process.exit(0);
}

main();
