// A game as it happens, over fetch (EventSource sends no token), in browsers and in Node:
//
//     for await (const frame of frames("http://127.0.0.1:8000/v1/games/g_…", { token })) …
// Gives each version once, in order, whatever breaks, until `end`; with `after: 0` the whole game.

const LONGEST_SILENCE = 15_000; // milliseconds; a sign of life comes every 5,000

export async function* frames(game, { token, after, signal } = {}) {
  let last = after;
  for (let tries = 0; ; tries += 1) {
    let wait = Math.min(30_000, 500 * 2 ** tries) * (0.5 + Math.random() / 2);
    try {
      signal?.throwIfAborted();
      for await (const frame of connection(game, token, last, signal)) {
        tries = 0;
        if (frame.type === "reconnect") wait = frame.retry;
        if (frame.type === "snapshot" || frame.type === "event") last = frame.version;
        if (frame.type === "reset") last = undefined;
        if (frame.type !== "ping" && frame.type !== "reconnect") yield frame;
        if (frame.type === "end") return;
      }
    } catch (fault) {
      if (signal?.aborted || fault.problem?.retryable === false) throw fault;
      wait = Math.max(wait, 1000 * (fault.retryAfter ?? 0));
    }
    await new Promise((done) => setTimeout(done, wait));
  }
}

async function* connection(game, token, last, signal) {
  const headers = { Accept: "application/x-ndjson" };
  if (token) headers.Authorization = `Bearer ${token}`;
  if (last !== undefined) headers["Last-Event-ID"] = String(last);
  const line = new AbortController();
  const hangUp = () => line.abort();
  let silence = setTimeout(hangUp, LONGEST_SILENCE);
  signal?.addEventListener("abort", hangUp);
  try {
    const answer = await fetch(`${game}/stream`, { headers, signal: line.signal });
    if (!answer.ok) {
      const [problem, retryAfter] = [await answer.json(), answer.headers.get("Retry-After")];
      throw Object.assign(new Error(problem.detail), { problem, retryAfter });
    }
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = ""; ; ) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(silence);
      silence = setTimeout(hangUp, LONGEST_SILENCE);
      const lines = (rest + value).split("\n");
      rest = lines.pop();
      for (const whole of lines) yield JSON.parse(whole);
    }
  } finally {
    clearTimeout(silence);
    signal?.removeEventListener("abort", hangUp);
    hangUp();
  }
}
