// Runs SQL from stdin in DuckDB and prints the rows of its last statement as JSON.
//
//   node recipes_duckdb.cjs NODE_MODULES < query.sql
"use strict";
const { createRequire } = require("node:module");
const path = require("node:path");
const { readFileSync } = require("node:fs");

async function main() {
  const load = createRequire(path.join(path.resolve(process.argv[2]), "x.js"));
  const { DuckDBInstance } = load("@duckdb/node-api");
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  const reader = await connection.runAndReadAll(readFileSync(0, "utf8"));
  console.log(JSON.stringify(reader.getRowObjectsJson()));
}

main().catch((error) => {
  console.error(String(error));
  process.exit(1);
});
