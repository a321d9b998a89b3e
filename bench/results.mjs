/** What was measured, kept beside the programs that measure it: `results/NAME.json`, one entry a run, the newest last. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";

const DIRECTORY = new URL("results/", import.meta.url);
const KEPT = 20; // runs of one benchmark

/** `figures`: plain JSON, with the unit in each name. */
export function keepResults(name, figures) {
	mkdirSync(DIRECTORY, { recursive: true });
	const file = new URL(`${name}.json`, DIRECTORY);
	const machine = { cpu: cpus()[0]?.model, cores: cpus().length, node: process.version };
	const entry = { at: new Date().toISOString(), ...machine, ...figures };
	writeFileSync(file, `${JSON.stringify([...entriesOf(file), entry].slice(-KEPT), null, "\t")}\n`);
}

function entriesOf(file) {
	try {
		return JSON.parse(readFileSync(file, "utf8"));
	} catch (error) {
		if (error.code === "ENOENT") return [];
		throw error;
	}
}
