// node client.js <boardgame.io|pepper> <port> <games> <seconds>
// Games of four listening seats; whoever is told that it is their turn acts at once. Prints JSON:
// the actions in so many seconds after a second's warming up, and all of them.

const http = require('http');
const { io } = require('socket.io-client');
const { legal } = require('./game');

const [what, port, games, seconds] = process.argv.slice(2);
const agent = new http.Agent({ keepAlive: true, noDelay: true });
let actions = 0;
let isOver = false;

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

async function boardgameIo() {
  const { matchID } = await ask('POST', '/games/cards/create', { numPlayers: 4 });
  const seats = [];
  for (const playerID of ['0', '1', '2', '3']) {
    const body = { playerID, playerName: `Player ${playerID}` };
    const joined = await ask('POST', `/games/cards/${matchID}/join`, body);
    seats.push({ playerID, credentials: joined.playerCredentials });
  }
  const play = (socket, { playerID, credentials }, { G, ctx, _stateID }) => {
    if (ctx.currentPlayer !== playerID || isOver) return;
    const args = [choice(legal(G.hands[Number(playerID)], G.trick))];
    const payload = { type: 'playCard', args, playerID, credentials };
    socket.emit('update', { type: 'MAKE_MOVE', payload }, _stateID, matchID, playerID);
  };
  const begun = seats.map((seat) => new Promise((synced) => {
    const options = { transports: ['websocket'], forceNew: true };
    const socket = io(`http://127.0.0.1:${port}/cards`, options);
    socket.on('connect', () => socket.emit('sync', matchID, seat.playerID, seat.credentials, 4));
    socket.on('sync', (_match, { state }) => synced(() => play(socket, seat, state)));
    socket.on('update', (_match, state) => {
      if (seat.playerID === '0') actions += 1;
      play(socket, seat, state);
    });
  }));
  return Promise.all(begun);
}

async function pepper() {
  const tokens = [];
  for (let seat = 0; seat < 4; seat += 1) tokens.push((await ask('POST', '/v1/players', {})).token);
  const wishes = ['me', 'open', 'open', 'open'].map((kind) => ({ kind }));
  const rules = { target_score: 1000 };
  const game = await ask('POST', '/v1/games', { players: 4, seats: wishes, rules }, tokens[0]);
  const path = `/v1/games/${game.id}`;
  for (const token of tokens.slice(1)) await ask('POST', `${path}/seats`, {}, token);
  const play = ({ you }, token) => {
    if (!you.legal_actions.length || isOver) return;
    ask('POST', `${path}/actions`, choice(you.legal_actions), token);
  };
  const begun = tokens.map((token, seat) => new Promise((synced) => {
    const headers = { Authorization: `Bearer ${token}` };
    http.get({ port, path: `${path}/stream`, headers, agent: false }, (answer) => {
      let said = '';
      answer.setEncoding('utf8').on('data', (more) => {
        said += more;
        const whole = said.split('\n\n');
        said = whole.pop();
        for (const each of whole) {
          const at = each.indexOf('data: ');
          if (at < 0) continue;
          const frame = JSON.parse(each.slice(at + 6));
          if (frame.type === 'snapshot') synced(() => play(frame.view, token));
          if (frame.type !== 'event') continue;
              if (seat === 0 && frame.event.type !== 'round_dealt') actions += 1;
          play(frame, token);
        }
      });
    }).on('error', fail);
  }));
  return Promise.all(begun);
}

async function main() {
  const make = what === 'pepper' ? pepper : boardgameIo;
  const begin = [];
  for (let game = 0; game < Number(games); game += 1) begin.push(...await make());
  begin.forEach((play) => play());
  await new Promise((later) => { setTimeout(later, 1000); });
  const before = { actions, at: performance.now() };
  await new Promise((later) => { setTimeout(later, 1000 * Number(seconds)); });
  const taken = (performance.now() - before.at) / 1000;
  console.log(JSON.stringify({
    actions: actions - before.actions, seconds: taken, all: actions,
  }));
  isOver = true;
  setTimeout(() => process.exit(0), 300);
}

main();
