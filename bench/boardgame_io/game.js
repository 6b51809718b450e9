// A game like Pepper's play of the cards: four seats, six cards each, follow suit, high card takes.

const RANKS = '9TJQKA';
const DECK = [...'CDHS'].flatMap((suit) => [...RANKS].map((rank) => rank + suit));

function deal(random) {
  const cards = random.Shuffle(DECK);
  return [0, 6, 12, 18].map((from) => cards.slice(from, from + 6));
}

function legal(hand, trick) {
  const following = trick.length ? hand.filter((card) => card[1] === trick[0].card[1]) : [];
  return following.length ? following : hand;
}

function taker(trick) {
  const followed = trick.filter(({ card }) => card[1] === trick[0].card[1]);
  followed.sort((one, other) => RANKS.indexOf(other.card[0]) - RANKS.indexOf(one.card[0]));
  return followed[0].seat;
}

function playCard({ G, playerID, random }, card) {
  const seat = Number(playerID);
  if (!legal(G.hands[seat], G.trick).includes(card)) return 'INVALID_MOVE';
  G.hands[seat] = G.hands[seat].filter((held) => held !== card);
  G.trick.push({ seat, card });
  G.next = (seat + 1) % 4;
  if (G.trick.length < 4) return undefined;
  G.next = taker(G.trick);
  G.scores[G.next % 2] += 1;
  G.lastTrick = G.trick;
  G.trick = [];
  if (!G.hands[seat].length) G.hands = deal(random);
  return undefined;
}

const Game = {
  name: 'cards',
  disableUndo: true,
  setup: ({ random }) => ({
    hands: deal(random), trick: [], lastTrick: null, scores: [0, 0], next: 0,
  }),
  playerView: ({ G, playerID }) => ({
    ...G,
    hands: G.hands.map((hand, seat) => (String(seat) === playerID ? hand : hand.length)),
  }),
  turn: {
    minMoves: 1,
    maxMoves: 1,
    order: { first: () => 0, next: ({ G }) => G.next },
  },
  moves: { playCard },
};

module.exports = { Game, legal };
