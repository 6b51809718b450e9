// node server.js <port> [folder]: matches in memory, or in files of a folder.

const { Server, FlatFile } = require('boardgame.io/server');
const { Game } = require('./game');

const [port, folder] = process.argv.slice(2);
const db = folder ? new FlatFile({ dir: folder }) : undefined;
Server({ games: [Game], db, origins: ['*'] }).run(Number(port));
