// One game over a stream, with types that a generator made of openapi.yaml (schema.ts).
//
//     node out/play.js http://127.0.0.1:8000

import type { components, operations } from "./schema.js";

type Schemas = components["schemas"];
type Body<Name extends "createPlayer" | "createGame" | "act"> = NonNullable<
  operations[Name]["requestBody"]
>["content"]["application/json"];

const url = process.argv[2] ?? "http://127.0.0.1:8000";

async function post<Answer>(path: string, body: unknown, headers: HeadersInit = {}) {
  const answer = await fetch(url + path, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  if (answer.ok) return (await answer.json()) as Answer;
  const problem = (await answer.json()) as Schemas["Problem"];
  throw new Error(`${path}: ${problem.code}: ${problem.detail}`);
}

async function* frames(path: string, headers: HeadersInit): AsyncGenerator<Schemas["StreamFrame"]> {
  const answer = await fetch(url + path, {
    headers: { Accept: "application/x-ndjson", ...headers },
  });
  if (!answer.ok || answer.body === null) throw new Error(`${path}: ${answer.status}`);
  let rest = "";
  for await (const text of answer.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield JSON.parse(line) as Schemas["StreamFrame"];
  }
}

const choose = (actions: Schemas["Action"][]): Body<"act"> | undefined =>
  actions.find((action) => action.type === "pass") ?? actions[0];

const newPlayer: Body<"createPlayer"> = { name: "Δέσποινα 🃏" };
const { player, token } = await post<Schemas["PlayerMade"]>("/v1/players", newPlayer);
const bearer = { Authorization: `Bearer ${token}` };
const newGame: Body<"createGame"> = { players: 4, rules: { target_score: 10 } };
const { id } = await post<Schemas["View"]>("/v1/games", newGame, bearer);

let versions = 0;
let outcome: Schemas["Outcome"] | undefined;
for await (const frame of frames(`/v1/games/${id}/stream`, bearer)) {
  if (frame.type === "end") {
    console.log(JSON.stringify({ game: id, name: player.name, versions, over: outcome?.game }));
    break;
  }
  if (frame.type !== "snapshot" && frame.type !== "event") continue;
  versions = frame.version;
  if (frame.type === "event") outcome = frame.outcome;
  const you = frame.type === "event" ? frame.you : frame.view.you;
  const action = choose(you?.legal_actions ?? []);
  const seen = { ...bearer, "If-Match": `"${frame.version}"` };
  if (action) await post<Schemas["View"]>(`/v1/games/${id}/actions`, action, seen);
}
