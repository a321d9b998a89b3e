/** docs/files.md names every key that `agent ps --json` prints. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../../..");
const PAGE = readFileSync(join(ROOT, "docs/files.md"), "utf8");
const SECTION = PAGE.slice(PAGE.indexOf("`agent ps --json` is an array"), PAGE.indexOf("## What resuming repairs"));
const SOURCE = readFileSync(join(ROOT, "src/faces/print/run-json.ts"), "utf8");

/** The keys of the object that a function returns, as they stand at the beginning of its lines. */
function keysOf(name: string): string[] {
	const body = SOURCE.slice(SOURCE.indexOf(`function ${name}(`));
	const object = body.slice(0, body.indexOf("\n}"));
	return [...object.matchAll(/^\t\t([a-z_]+)[:,]/gm)].map(([, key = ""]) => key);
}

test.each(["runAsJson", "agentAsJson"])("docs/files.md names every key of %s", (name) => {
	const keys = keysOf(name);
	expect(keys.length).toBeGreaterThan(15);
	expect(keys.filter((key) => !SECTION.includes(`\`${key}\``))).toEqual([]);
});
