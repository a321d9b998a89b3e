/**
 * How the folders of src/ stand on one another, as a table. A folder imports only from folders on floors below its own;
 * each heavy library has one home; what is pure reads no clock and no environment; a child's bundle stays small.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { build } from "esbuild";
import { beforeAll, expect, test } from "vitest";
import { circlesIn, readFileEdges, roomEdges } from "./import-graph.ts";

const ROOT = join(import.meta.dirname, "../..");
/** What a child loads before it joins, and while its supervisor decides on the join. */
const CHILD_ENTRIES = ["agent/main.ts", "agent/joined-agent.ts"];
const MAX_CHILD_BYTES = [41 * 1024, 80 * 1024]; // 40.1 and 79.0 KiB now

/** Lowest first. Folders of one floor know nothing of one another, unless the table of neighbors says so. */
const FLOORS = [
	["core"],
	["text"],
	["terminal", "wire", "processes", "models"],
	["record"],
	["project", "view"],
	["sandbox"],
	["tui"],
	["agent", "supervisor", "faces"],
	["cli"],
] as const;

const LIBRARIES: readonly { name: string; home: RegExp; because: string }[] = [
	{ name: "@anthropic-ai/sdk", home: /^models\/anthropic\/anthropic\.ts$/, because: "140 ms and 24 MB to load" },
	{ name: "openai", home: /^models\/openai\/sdk-client\.ts$/, because: "220 kB that only its services need" },
	...["http-proxy-agent", "https-proxy-agent"].map((name) => ({
		...{ name, home: /^models\/service\/proxied-fetch\.ts$/, because: "only calls through a proxy need it" },
	})),
	{ name: "blessed", home: /^tui\/terminal\/terminal\.ts$/, because: "it takes the terminal" },
	{ name: "commander", home: /^cli\//, because: "only the whole command line needs it" },
	{
		name: "execa",
		home: /^(cli|models|processes|project|sandbox|tui\/terminal)\//,
		because: "it starts helper programs, and costs 20 ms and 6 MB",
	},
	{ name: "yaml", home: /^models\//, because: "only scripts need it" },
	{ name: "valibot", home: /^(core\/schemas|wire|record|project\/undo)\//, because: "a child agent loads no schemas" },
	{
		name: "ajv",
		home: /^supervisor\/conversations\/answer-schema\.ts$/,
		because: "136 kB that only the check of an answer needs",
	},
	{ name: "diff", home: /^cli\/edit\//, because: "only a changed file needs it" },
	{
		name: "p-limit",
		home: /^(agent\/bash\/tool-calls|supervisor\/proxy\/route)\.ts$/,
		because: "only the calls of one answer, and lookups of names, need it",
	},
];

/** What a child agent never loads. The two of Node load a dozen modules more: half a MiB an agent, and 2 ms of its start. */
const HEAVY = [
	"node:fs/promises",
	"node:module",
	"@anthropic-ai",
	"ajv",
	"openai",
	"blessed",
	"commander",
	"execa",
	"valibot",
	"yaml",
];

interface Import {
	from: string;
	/** A file of src/, or a package's name as it is written. */
	to: string;
	is: "value" | "type" | "on demand";
}

interface Source {
	file: string;
	text: string;
	/** Without comments and the contents of strings. */
	code: string;
	imports: Import[];
}

const SOURCES: Source[] = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" })
	.filter((file) => file.endsWith(".ts"))
	.sort()
	.map((file) => {
		const text = readFileSync(join(ROOT, "src", file), "utf8");
		return { file, text, code: codeOf(text), imports: importsOf(file, text) };
	});

function importsOf(file: string, text: string): Import[] {
	const statics = [...text.matchAll(/^(?:import|export)\s(?<what>[^;"]*?\sfrom\s)?"(?<to>[^"]+)";/gm)].map((match) => {
		const isType = /^(import|export)\s+type\b/.test(match[0]);
		return { to: match.groups?.to ?? "", is: isType ? ("type" as const) : ("value" as const) };
	});
	const onDemand = [...text.matchAll(/\bimport\("(?<to>[^"]+)"\)/g)].map((match) => ({
		to: match.groups?.to ?? "",
		is: "on demand" as const,
	}));
	// import(`./commands/${word}.ts`): any file of that folder.
	const ofFolders = [...text.matchAll(/\bimport\(`(?<folder>[^`$]+)\/\$\{/g)].flatMap((match) => {
		const folder = match.groups?.folder ?? "";
		const names = readdirSync(join(ROOT, "src", dirname(file), folder));
		return names.map((name) => ({ to: `${folder}/${name}`, is: "on demand" as const }));
	});
	return [...statics, ...onDemand, ...ofFolders].map(({ to, is }) => ({
		from: file,
		to: to.startsWith(".") ? relative(ROOT, join(ROOT, dirname(file), to)) : to,
		is,
	}));
}

function codeOf(text: string): string {
	return withoutComments(text).replace(/"(?:[^"\\\n]|\\.)*"/g, '""');
}

function withoutComments(text: string): string {
	return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/.*$/gm, "");
}

const folderOf = (file: string) => file.split("/")[0] ?? "";
const floorOf = (folder: string) => FLOORS.findIndex((folders) => folders.some((name) => name === folder));
const isLibrary = (to: string, name: string) => to === name || to.startsWith(`${name}/`);
const allImports = SOURCES.flatMap(({ imports }) => imports);
const insideImports = allImports.filter(({ to }) => floorOf(folderOf(to)) >= 0);

/** Files of the sources where the code matches. */
function filesWith(pattern: RegExp, isAmong: (file: string) => boolean = () => true): string[] {
	return SOURCES.filter(({ file, code }) => isAmong(file) && pattern.test(code)).map(({ file }) => file);
}

test("every folder of src stands on a floor, and every floor has its folders", () => {
	const folders = [...new Set(SOURCES.map(({ file }) => folderOf(file)))].sort();
	expect(folders).toEqual(FLOORS.flat().sort());
	expect(insideImports.length).toBeGreaterThan(100);
});

test("a folder imports only from floors below its own", () => {
	const wrong = insideImports.filter(({ from, to }) => {
		const [own, other] = [folderOf(from), folderOf(to)];
		return own !== other && floorOf(other) >= floorOf(own);
	});
	expect(wrong).toEqual([]);
});

test("a circle is found, and a graph without one has none", () => {
	const line = [
		{ from: "a", to: "b" },
		{ from: "b", to: "c" },
	];
	expect(circlesIn(line)).toEqual([]);
	expect(circlesIn([...line, { from: "c", to: "b" }])).toEqual([["b", "c", "b"]]);
});

test("no file imports itself by way of others, types included, and no room does", () => {
	const graph = readFileEdges();
	expect(graph.files.length).toBeGreaterThan(200);
	expect(circlesIn(graph.edges)).toEqual([]);
	expect(circlesIn(roomEdges(graph))).toEqual([]);
});

test.each(LIBRARIES)("$name is imported at its home alone: $because", ({ name, home }) => {
	const importers = allImports.filter(({ to }) => isLibrary(to, name));
	expect(importers.length).toBeGreaterThan(0);
	expect(importers.filter(({ from, is }) => is !== "type" && !home.test(from))).toEqual([]);
	const folders = importers.filter(({ from }) => home.test(from)).map(({ from }) => folderOf(from));
	expect(importers.filter(({ from }) => !folders.includes(folderOf(from)))).toEqual([]);
});

test("execa is loaded with the first program that it starts, by no file for itself", () =>
	expect(allImports.filter(({ to, is }) => to === "execa" && is === "value")).toEqual([]));

test("no library is imported that is not in the table", () => {
	const unknown = allImports.filter(
		({ to }) =>
			!to.startsWith("node:") && floorOf(folderOf(to)) < 0 && !LIBRARIES.some(({ name }) => isLibrary(to, name)),
	);
	expect(unknown).toEqual([]);
});

test("core imports nothing but core, and what its schemas are made with", () => {
	const isOwn = (to: string) => folderOf(to) === "core" || to === "valibot";
	expect(allImports.filter(({ from, to }) => folderOf(from) === "core" && !isOwn(to))).toEqual([]);
});

/** What is the same for the same arguments: each decides, or turns facts into text, and leaves acting to others. */
const PURE =
	/^((core|text|view|supervisor\/decide|faces\/dashboard\/(scene|panes)|faces\/chat\/output|tui\/(editor|keys|text))\/|faces\/dashboard\/(view|update|press|mouse|receive|layout|frame|panes)\.ts$)/;
/** In rooms that are pure otherwise. */
const ACTS =
	/^(tui\/(keys\/key-reader|editor\/(history-file|path-choices))|view\/(follow\/command-outputs|words\/clock-time))\.ts$/; // clock-time: the zone of this machine
const isPure = (file: string) => PURE.test(file) && !ACTS.test(file);
const IMPURE =
	/\bprocess[.;,)]|\bDate\.now\b|\bnew Date\b|\bperformance\b|Math\.random|\bset(Timeout|Interval|Immediate)\b|\bBuffer\b/;

/** A digest is the same for the same text. */
const HASH_ALONE = /^import \{ hash \} from "node:crypto";$/m;

test("what is pure knows no clock, no process, no chance, and nothing of Node", () => {
	expect(filesWith(IMPURE, isPure)).toEqual([]);
	const hashes = SOURCES.filter(({ text }) => HASH_ALONE.test(text)).map(({ file }) => file);
	const isHash = ({ from, to }: Import) => to === "node:crypto" && hashes.includes(from);
	const ofNode = allImports.filter(({ from, to }) => isPure(from) && to.startsWith("node:"));
	expect(ofNode.filter((one) => !isHash(one))).toEqual([]);
});

test("the rooms of the dashboard stand on one another: what is shown, the panes, and what puts them together", () => {
	const [scene, panes] = [/^faces\/dashboard\/scene\//, /^faces\/dashboard\/panes\//];
	const upwards = insideImports.filter(
		({ from, to }) =>
			to.startsWith("faces/dashboard/") &&
			((scene.test(from) && !scene.test(to)) || (panes.test(from) && !scene.test(to) && !panes.test(to))),
	);
	expect(upwards).toEqual([]);
});

/** Lowest first: each may know those before it. */
const SHARED_BY_PROVIDERS = ["models/provider", "models/user-files", "models/protocol", "models/service"];

// Seen to fail with `classOf` in models/anthropic/, where the script's provider took it from.
test("a provider of models knows no other one, and what providers share knows none of them, and stands in an order", () => {
	const wrong = insideImports.filter(({ from, to }) => {
		const [room = "", other = ""] = [from, to].map((file) => dirname(file).split("/").slice(0, 2).join("/"));
		if (folderOf(to) !== "models" || !room.startsWith("models/") || room === other) return false;
		const [own, shared] = [room, other].map((name) => SHARED_BY_PROVIDERS.indexOf(name));
		return shared === -1 || (own !== -1 && Number(shared) > Number(own));
	});
	expect(wrong).toEqual([]);
});

const isMain = (file: string) => folderOf(file) === "cli" || file === "agent/main.ts" || file === "agent/entry.ts";

test("only the mains read the environment and the arguments, and throw dice", () => {
	const facts = /\bprocess\.(env|argv)\b|\b(env|argv)\b[^;\n]*\} = process\b|Math\.random/;
	expect(filesWith(facts, (file) => !isMain(file))).toEqual([]);
	expect(filesWith(facts, isMain)).toContain("agent/main.ts");
});

test("this machine's clock is read in one place, and passed on from there as an argument", () => {
	expect(filesWith(/\bDate\.now\b|\bnew Date\(\)|\bperformance\.now\b/)).toEqual(["processes/system-clock.ts"]);
});

test("only the mains end this process, and an agent that met a bug", () => {
	expect(filesWith(/\bprocess\.(exit\(|exitCode\b)/, (file) => !isMain(file))).toEqual(["terminal/bugs.ts"]);
});

test("the format of the cookie and the pattern of a run id are known in one file each", () => {
	expect(filesWith(/\bAGENTREE_(AGENT|COMMAND|TRAIL|TOKEN)\b/)).toEqual(["core/run/cookie.ts"]);
	expect(filesWith(/\\d\{8\}-\\d\{6\}/)).toEqual(["core/run/run-id.ts"]);
});

/** An agent signals the group of its own shell before anything can be looked at, and itself; `agent edit` signals itself. */
const ENDS_ITS_OWN = ["agent/bash/command-processes.ts", "agent/joined-agent.ts", "cli/edit/edit-file.ts"];

test("nobody but the owners of processes sends a signal, and one file has the grace", () => {
	const isOwner = (file: string) => /^(supervisor\/)?processes\//.test(file);
	expect(filesWith(/\bprocess\.kill\(/, (file) => !isOwner(file))).toEqual(ENDS_ITS_OWN);
	expect(filesWith(/\bGRACE_MS = /)).toEqual(["processes/table/end-processes.ts"]);
	// Seen to fail while the supervisor and the end of a run killed the root agent by its child handle.
	expect(filesWith(/\bkill\(/, (file) => /^supervisor\/(?!processes\/)/.test(file))).toEqual([]);
});

test("only the command line and the agent print", () => {
	expect(filesWith(/\bconsole\.|\bprocess\.std(out|err)\b/, (file) => folderOf(file) !== "cli")).toEqual([]);
});

// Seen to fail with `readJsonLines`, which only its test called, and with `COLORED`, which nobody else asked for.
test("what a file exports another one names, or a test while the file itself needs it", () => {
	const texts = readdirSync(join(ROOT, "test"), { recursive: true, encoding: "utf8" })
		.filter((file) => file.endsWith(".ts"))
		.map((file) => readFileSync(join(ROOT, "test", file), "utf8"));
	const tested = wordsOf(texts.join("\n"));
	const words = SOURCES.map(({ file, text }) => ({ file, words: wordsOf(withoutComments(text)) }));
	const unneeded = SOURCES.flatMap(({ file, code }) => {
		const names = [...code.matchAll(/^export (?:async )?(?:const|class|function\*?) (\w+)/gm)].map(
			([, name = ""]) => name,
		);
		const isNeeded = (name: string) =>
			words.some((other) => other.file !== file && other.words.has(name)) ||
			(tested.has(name) && code.split(new RegExp(`\\b${name}\\b`)).length > 2);
		return names.filter((name) => !isNeeded(name)).map((name) => `${name} of ${file}`);
	});
	expect(unneeded).toEqual([]);
});

function wordsOf(text: string): ReadonlySet<string> {
	return new Set(text.match(/\w+/g));
}

test("no file is named after what it is not about", () => {
	expect(
		SOURCES.map(({ file }) => file).filter((file) => /(^|\/)(utils?|helpers?|types|index|common|misc)\.ts$/.test(file)),
	).toEqual([]);
});

test("nothing that a child loads at its start imports a heavy library", () => {
	const seen = new Set(CHILD_ENTRIES);
	for (const file of seen)
		for (const { to } of valueImportsOf(file)) if (SOURCES.some((source) => source.file === to)) seen.add(to);
	expect(seen.size).toBeGreaterThan(20);
	const reached = [...seen]
		.flatMap(valueImportsOf)
		.filter(({ to }) => HEAVY.some((name) => isLibrary(to, name) || to.startsWith(`${name}/`)));
	expect(reached).toEqual([]);
});

function valueImportsOf(file: string): Import[] {
	return allImports.filter(({ from, is }) => from === file && is === "value");
}

/** What tells one model, or one provider, from another: names, schemes, variables, the texts of its errors. */
const PROVIDERS_OWN: readonly {
	readonly what: string;
	readonly pattern: RegExp;
	readonly except: readonly string[];
}[] = [
	{
		what: "a model's name",
		pattern: /["'`](?:shell|script:[^"'`]*|[\w.-]*claude[^"'`\s]*)["'`]/,
		except: [
			"project/instructions/guide.ts", // here and below the names of directories
			"record/placeholders.ts",
			"project/undo/runs-later.ts",
		],
	},
	{
		what: "a pattern for names",
		pattern: /\/[^/\n]*(?:claude|script:)[^/\n]*\//,
		except: ["project/undo/runs-later.ts"],
	},
	{
		what: "words of its errors",
		pattern: /\bHTTP \d|too long:|overloaded|rate_limit|(?<!is)_error\b|credit balance/i,
		except: [],
	},
	{
		what: "its own variables",
		pattern: /ANTHROPIC_/,
		except: [
			"agent/bash/environment.ts", // takes away all that begins so, settings of other programs, too
			"cli/start/start-request.ts",
			"project/config/run-request.ts", // ANTHROPIC_MODEL
		],
	},
];

// Each seen to fail: with `model === "shell"` in budget.ts, `startsWith("script:")` in view.ts, the pattern for the tokens of
// a full context in compaction.ts, and the names of the keys in doctor.ts.
test.each(PROVIDERS_OWN)("outside of models/ nobody knows $what", ({ pattern, except }) => {
	const own = SOURCES.filter(({ text }) => pattern.test(withoutComments(text))).map(({ file }) => file);
	const outside = own.filter((file) => folderOf(file) !== "models");
	expect(outside).toEqual([...except].sort());
	expect(own.length).toBeGreaterThan(outside.length); // else the pattern finds nothing at all
});

test("a provider is imported by the table of providers alone", () => {
	const providers = [...new Set(PROVIDER_FILES.map(dirname))];
	expect(providers.length).toBeGreaterThan(2);
	const importers = insideImports.filter(
		({ from, to }) => providers.includes(dirname(to)) && !`${dirname(from)}/`.startsWith(`${dirname(to)}/`),
	);
	expect([...new Set(importers.map(({ from }) => from))]).toEqual(["models/providers.ts"]);
	expect(importers.map(({ to }) => to).sort()).toEqual(PROVIDER_FILES);
});

/** `models/anthropic/provider.ts`, …; the interface itself is in models/provider/. */
const PROVIDER_FILES = SOURCES.map(({ file }) => file).filter((file) =>
	/^models\/(?!provider\/)\w+\/provider\.ts$/.test(file),
);

let child: { inputs: string[]; bytes: number[] };

beforeAll(async () => {
	const entryPoints = CHILD_ENTRIES.map((file) => join(ROOT, "src", file));
	const { metafile, outputFiles } = await build({
		...{ entryPoints, absWorkingDir: ROOT, bundle: true, write: false, outdir: "dist" },
		...{ platform: "node", target: "node20", format: "cjs", minify: true, metafile: true, logLevel: "silent" },
	});
	child = { inputs: Object.keys(metafile.inputs), bytes: outputFiles.map(({ contents }) => contents.length) };
});

test.each(HEAVY)("the child's bundle holds nothing of %s", (name) => {
	expect(child.inputs).toContain("src/agent/main.ts");
	expect(child.inputs.filter((input) => input.includes(`node_modules/${name}`))).toEqual([]);
});

test("the child's bundle holds nothing of supervisor, faces, models, record and command line", () => {
	const foreign = /^src\/(supervisor|faces|tui|view|models|record|cli)\//;
	expect(child.inputs.filter((input) => foreign.test(input))).toEqual([]);
});

test("a child loads no pattern with properties of characters: V8 reads those of a literal with the file, in milliseconds", () => {
	// Seen to fail with the rules of text/safe/invisible.ts as literals: 1.5 ms at every start.
	const withProperties = child.inputs.filter((input) => /(?<!\\)\\p\{/.test(readFileSync(join(ROOT, input), "utf8")));
	expect(withProperties).toEqual([]);
});

test("the child's bundles are small", () => {
	expect(child.bytes).toHaveLength(CHILD_ENTRIES.length);
	for (const [n, bytes] of child.bytes.entries()) {
		expect(bytes).toBeGreaterThan(5_000);
		expect(bytes).toBeLessThan(MAX_CHILD_BYTES[n] ?? 0);
	}
});
