/**
 * What a turn and an end of an agent cost the supervisor in CPU, by how many agents are alive: synthetic agents, which
 * speak the real protocol on the real socket of a real supervisor. The aim: at 2,000 alive at most twice what it is at 50.
 * `stub` is a process table in which there is nothing but the agents; `real` is the system's, with a process for each.
 * Usage: npm run bench -- gate
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { keepResults } from "./results.mjs";

const AIM = 2;
const SERIES = [
	{ slots: 8, table: "stub", hasBudget: false, alive: [50, 500, 1000, 2000] },
	{ slots: 64, table: "stub", hasBudget: false, alive: [50, 500, 1000, 2000] },
	{ slots: 64, table: "stub", hasBudget: true, alive: [50, 2000] },
	{ slots: 64, table: "real", hasBudget: false, alive: [50, 2000] },
];

const programs = await bundle();
try {
	const { measureCell } = await import(pathToFileURL(join(programs, "measure.mjs")).href);
	console.log("supervisor CPU, ms; in brackets: times that of the first line of its group");
	console.log("slots  table  budget   alive          join          turn           end");
	const measured = [];
	for (const series of wanted(SERIES)) {
		const rows = [];
		for (const alive of series.alive) {
			const cell = { ...series, alive };
			rows.push({ ...cell, ...(await measureCell(cell, join(programs, "supervisor.mjs"))) });
			console.log(lineOf(rows.at(-1), rows[0]));
		}
		measured.push(...rows);
		for (const what of ["turnMs", "endMs"])
			if (rows.at(-1)[what] > AIM * rows[0][what]) console.log(`       over the aim of ${AIM} x: ${what}`);
	}
	if (process.argv.length === 2) keepResults("gate", { cells: measured.map((row) => roundedOf(row)) });
} finally {
	rmSync(programs, { recursive: true, force: true });
}

/** `npm run bench -- gate 64,stub 50,2000`: only these. */
function wanted(series) {
	const [kind, alive] = process.argv.slice(2);
	const chosen = kind === undefined ? series : series.filter(({ slots, table }) => kind === `${slots},${table}`);
	return chosen.map((one) => (alive === undefined ? one : { ...one, alive: alive.split(",").map(Number) }));
}

async function bundle() {
	const outdir = mkdtempSync(join(tmpdir(), "agentree-gate-"));
	const entryPoints = ["supervisor", "measure"].map((name) =>
		fileURLToPath(new URL(`gate/${name}.ts`, import.meta.url)),
	);
	const requires = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";
	const shape = { bundle: true, platform: "node", format: "esm", banner: { js: requires } };
	await build({ entryPoints, outdir, ...shape, outExtension: { ".js": ".mjs" } });
	return outdir;
}

function lineOf(row, first) {
	const { slots, table, hasBudget, alive } = row;
	const figure = (what) => `${row[what].toFixed(2)} (${(row[what] / first[what]).toFixed(2)})`.padStart(14);
	const head = `${String(slots).padStart(5)}  ${table.padEnd(5)}  ${(hasBudget ? "yes" : "no").padEnd(6)}  ${String(alive).padStart(6)}`;
	return `${head}${figure("joinMs")}${figure("turnMs")}${figure("endMs")}`;
}

function roundedOf(row) {
	const rounded = (value) => (typeof value === "number" ? Math.round(value * 1000) / 1000 : value);
	return Object.fromEntries(Object.entries(row).map(([key, value]) => [key, rounded(value)]));
}
