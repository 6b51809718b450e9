"""What each problem means and what to do about it, for the pages that problems link to."""

from collections.abc import Mapping

EXPLANATIONS: Mapping[str, str] = {
    "malformed-json": "The body must be one JSON document in UTF-8, without NaN or Infinity and "
    "not nested too deeply. Mend the body before sending it again.",
    "malformed-header": "A header has a form that is not understood. If-Match takes a version: "
    '"57", W/"57", 57, or an ETag as it was given, "57-0123abcd".',
    "malformed-query": "A parameter of the query has a value that it cannot have; the detail "
    "names it. Cursors must be sent back as a page gave them out.",
    "bad-request": "The request itself cannot be read.",
    "token-missing": "Only a player may do this. POST /v1/players gives a token at once; send "
    "it as Authorization: Bearer and the token.",
    "token-invalid": "The Authorization header holds no valid token. A bad token is never "
    "treated as none: leave the header out to be a spectator.",
    "scope-missing": "The token was made for less than this; the detail names the scope it needs.",
    "code-invalid": "A link code works once, within ten minutes, while the token that asked for "
    "it is good. A recovery code works once, until a newer one is made.",
    "hidden-until-finished": "While a game runs, a seat is shown only to the player who held it "
    "at that version. Once the game has ended everybody may see everything.",
    "not-seated": "Only who holds this seat may act for it. Spectators and former players may not.",
    "not-creator": "Starting, aborting, seating bots, inviting and emptying other seats are for "
    "the game's creator.",
    "held-another-seat": "Who has held a seat of this game since it began knows its hand, so "
    "may not sit in another one.",
    "bots-not-allowed": "The creator made this game with allow_bots false.",
    "route-unknown": "There is nothing at this address. /openapi.yaml lists what there is.",
    "game-unknown": "Games are never deleted: check the id.",
    "player-unknown": "Check the player's id; it begins with p_.",
    "token-unknown": "It is not among your tokens: never there, revoked, or past its time. GET "
    "/v1/tokens lists those you have.",
    "webhook-unknown": "It is not among your webhooks. GET /v1/webhooks lists those you have.",
    "version-unknown": "Versions run from 1 to the version of the game's view.",
    "problem-unknown": "This code is not used. /openapi.yaml lists all that are.",
    "seat-unknown": "Seats are numbered from 0 to one less than the number of players.",
    "method-not-allowed": "The Allow header lists the methods of this address.",
    "seat-taken": "Somebody sits there. Look at the game's view for open seats.",
    "seat-reserved": "An invitation or a rematch keeps this seat for somebody until the time in "
    "the game's view has passed.",
    "no-open-seat": "All seats are taken or kept for others.",
    "already-seated": "A player has one seat a game. Before the start, taking another one moves "
    "them; afterwards it is too late for that.",
    "already-started": "This can be done only before the game has started.",
    "not-started": "This can be done only once the game has started.",
    "starts-by-itself": "This game starts when its last seat is taken; only games made with "
    "start manual are started by hand.",
    "seats-still-open": "Every seat must be taken before the start. Wait, or seat bots.",
    "too-late-to-abort": "A game can be aborted until the first call of its first round. After "
    "that, leave the seat: a bot plays on.",
    "game-over": "The game has ended; nothing more can happen in it. A finished one may have a "
    "rematch.",
    "game-not-finished": "This can be done only after the game has been played to its end.",
    "wrong-phase": "A round has an auction, the naming of trump and the play; this action "
    "belongs to another of them. legal_actions holds what may be done.",
    "not-your-turn": "Another seat is to act; turn says which. An action sent twice ends here "
    "too: look at the view, the first one counted.",
    "bot-is-acting": "You left your seat and a bot plays for you. Take the seat back first, at "
    "the address in take_back.",
    "too-many-tokens": "Revoke one that you no longer need; GET /v1/tokens lists them.",
    "too-many-webhooks": "A player may have ten. Delete one; GET /v1/webhooks lists them.",
    "too-many-open-games": "A player may be in 200 unfinished games. Finish, abort or leave one; "
    "GET /v1/games?player=me lists them.",
    "webhook-disabled": "Nothing is sent to it, see its disabled_reason. PATCH it with enabled "
    "true first.",
    "version-mismatch": "If-Match named a version that the game has left, or has not reached. "
    "Look at the game as it is now, then decide again.",
    "body-too-large": "A body may have at most 64 KiB.",
    "media-type-unsupported": "Bodies are JSON: send Content-Type: application/json.",
    "idempotency-key-reused": "Under this Idempotency-Key another request of yours has been done. "
    "Repeat that one as it was, or draw a new key.",
    "invalid-body": "The body is JSON but not what this address takes: a field is missing, "
    "unknown or of the wrong type. errors tells what is wrong with each.",
    "url-forbidden": "A webhook is an https address that the whole internet can reach, without a "
    "user, a password or a fragment; the detail says what is wrong with this one.",
    "bid-not-in-list": "The number of players decides which bids there are; /v1/rules lists them.",
    "bid-too-low": "A bid must be higher than the highest so far; otherwise pass.",
    "must-bid": "By the house rules of this game the last to call may not pass when all others "
    "have.",
    "trump-not-allowed": "The house rules of this game have no such contract.",
    "card-not-in-hand": "Play a card of the hand in your view.",
    "must-follow-suit": "Who holds a card of the suit that was led must play one. The left "
    "bower is of the trump suit.",
    "rules-invalid": "These house rules do not go together, or not with this number of players; "
    "the detail says which.",
    "seats-invalid": "List one entry for each seat, at most one of them for you, and invite "
    "only players who exist; the detail says what is wrong.",
    "internal-error": "This is a fault of the service, not of the request. Whether the request "
    "had an effect shows in the game's view.",
    "rate-limited": "Too many requests in a minute: of this player, or of this address without "
    "a token. Wait as Retry-After says; RateLimit-Policy says how many there may be.",
    "too-many-streams": "Close a stream that you no longer read, or follow the game with "
    "GET .../events.",
    "too-many-waiting": "Ten answers with wait are kept for one client at a time. Let one come, "
    "or ask without wait.",
    "streams-full": "This server holds as many streams as it can. Playing goes on: follow the game "
    "with GET .../events until a place is free.",
    "not-replicated": (
        "The change has been made, but fewer copies of it exist than this service promises, so it "
        "may still be lost. Send the same request with the same Idempotency-Key again: it is not "
        "done twice, and it is answered once it is safe. Without a key look first what came of it."
    ),
    "store-unavailable": "The store of games did not answer. Try again shortly; whether an "
    "action counted shows in the game's view, and If-Match keeps it from counting twice.",
}
