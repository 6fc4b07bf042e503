// Holds Kubernetes manifests against the API: by the schemas of its own OpenAPI description (npm package
// kubernetes-models), which say what values are valid, and by that package's TypeScript interfaces, which
// say what fields there are (a schema passes a misspelt one); and against what neither can say: that what
// refers to something of the manifest names it rightly. Arguments: node_modules, then YAML files.
const fs = require("node:fs");
const path = require("node:path");

const [modules, ...files] = process.argv.slice(2);
const load = (name) => require(path.resolve(modules, name));
const yaml = load("js-yaml");

// "apps/v1" is a folder of the package; what it has no kind for is no Kubernetes object.
function modelOf(object) {
  const { apiVersion, kind } = object;
  if (!/^[a-z0-9./]+$/.test(apiVersion ?? "") || !/^[A-Za-z]+$/.test(kind ?? "")) return undefined;
  try {
    return load(`kubernetes-models/${apiVersion}/${kind}`)[kind];
  } catch {
    return undefined;
  }
}

function errorsOf(object) {
  const Model = modelOf(object);
  if (!Model) return [`there is no ${object.apiVersion} ${object.kind}`];
  try {
    new Model(object).validate();
    return [];
  } catch (error) {
    return (error.errors ?? [error]).map((one) => `${one.instancePath ?? ""} ${one.message}`);
  }
}

// Of literals of the interfaces' types TypeScript tells fields that there are not, at any depth.
function unknownFieldsOf(objects) {
  const ts = load("typescript");
  const file = path.resolve(modules, "../manifests.ts");
  const source = objects
    .map(({ apiVersion, kind, ...rest }, i) => {
      const literal = JSON.stringify({ apiVersion, kind, ...rest }, null, 1);
      return `import type { I${kind} as K${i} } from "kubernetes-models/${apiVersion}/${kind}";\nexport const o${i}: K${i} = ${literal};\n`;
    })
    .join("");
  const options = { noEmit: true, strict: true, skipLibCheck: true, moduleResolution: ts.ModuleResolutionKind.Node10 };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (name) => name === file || fileExists(name);
  host.readFile = (name) => (name === file ? source : readFile(name));
  host.getSourceFile = (name, ...rest) =>
    name === file ? ts.createSourceFile(name, source, ts.ScriptTarget.Latest) : getSourceFile(name, ...rest);
  const program = ts.createProgram([file], options, host);
  return ts.getPreEmitDiagnostics(program).map((one) => ts.flattenDiagnosticMessageText(one.messageText, " "));
}

const podOf = (object) => (object.kind === "Pod" ? object.spec : object.spec?.template?.spec);

// Volumes that are mounted and not there, limits of extended resources that differ from their requests.
function inconsistenciesOf(object) {
  const pod = podOf(object);
  if (!pod) return [];
  const volumes = new Set((pod.volumes ?? []).map((volume) => volume.name));
  const errors = [];
  for (const container of [...(pod.initContainers ?? []), ...(pod.containers ?? [])]) {
    for (const mount of container.volumeMounts ?? []) {
      if (!volumes.has(mount.name)) errors.push(`${container.name}: no volume ${mount.name}`);
    }
    const { requests = {}, limits = {} } = container.resources ?? {};
    for (const [name, value] of Object.entries(limits)) {
      if (/\/|^hugepages-/.test(name) && requests[name] !== undefined && requests[name] !== value) {
        errors.push(`${container.name}: ${name}: the limit is not the request`);
      }
    }
  }
  return errors;
}

let failed = 0;
let passed = 0;
for (const file of files) {
  const objects = yaml.loadAll(fs.readFileSync(file, "utf8"));
  const wrong = objects.filter((object) => {
    const errors = [...errorsOf(object), ...inconsistenciesOf(object)];
    for (const error of errors) console.log(`${file}: ${object.kind} ${object.metadata?.name}: ${error}`);
    return errors.length > 0;
  });
  const known = objects.filter(modelOf);
  const unknown = unknownFieldsOf(known);
  for (const error of unknown) console.log(`${file}: ${error}`);
  failed += wrong.length + unknown.length;
  passed += wrong.length + unknown.length > 0 ? 0 : objects.length;
}
console.log(`${passed} objects are valid, ${failed} errors`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);
