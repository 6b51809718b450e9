// A bot for Pepper in JavaScript: joins a table, plays until the game ends. Nothing but fetch.
//
//     node examples/bot.mjs http://127.0.0.1:8000 [game id]
//
// Without a game id it opens a four-player game against the house bots. It passes when it may,
// and plays the last legal card.

const url = (process.argv[2] ?? "http://127.0.0.1:8000").replace(/\/$/, "");
const gameId = process.argv[3];
let token;

async function ask(method, path, body, version) {
  const headers = { "Content-Type": "application/json" };
  if (token) headers.Authorization = `Bearer ${token}`;
  if (version) headers["If-Match"] = `"${version}"`;
  const answer = await fetch(url + path, { method, headers, body: body && JSON.stringify(body) });
  return answer.json();
}

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

const choose = (actions) =>
  actions.find((action) => action.type === "pass") ??
  (actions[0].type === "play_card" ? actions.at(-1) : actions[0]);

({ token } = await ask("POST", "/v1/players", { name: "Example bot", bot: true }));
let view = gameId
  ? await ask("POST", `/v1/games/${gameId}/seats`, {})
  : await ask("POST", "/v1/games", { players: 4 });
const path = `/v1/games/${view.id}`;

while (view.status === "open" || view.status === "in_progress") {
  const actions = view.you.legal_actions;
  if (actions.length > 0) await ask("POST", `${path}/actions`, choose(actions), view.version);
  else await pause(50);
  view = await ask("GET", path);
}
console.log(`${view.id} ${view.status}: scores ${view.scores}, winners ${view.winners}`);
