/** docs/files.md names every key that the schemas of a run's files have, in its place, and no other. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LIMIT_TABLE } from "../../../src/core/limits/limits.ts";
import { COMMAND_ENDS, ENDINGS } from "../../../src/core/schemas/command.ts";
import { RUN_EVENTS } from "../../../src/core/schemas/run-event.ts";
import { AgentFileSchema, LockOwnerSchema, RUN_FORMAT, RunFileSchema } from "../../../src/core/schemas/run-files.ts";
import { AssistantEntrySchema, NOTES, UserEntrySchema } from "../../../src/core/schemas/transcript.ts";
import { UsageSchema } from "../../../src/core/schemas/values.ts";
import { fileKey } from "../../../src/record/spelling.ts";

const TEXT = readFileSync(join(import.meta.dirname, "../../../docs/files.md"), "utf8");

/** As the schemas are made: an object, a list, or something around one. */
interface Schema {
	readonly type?: string;
	readonly entries?: Entries;
	readonly item?: Schema;
	readonly wrapped?: Schema;
}
type Entries = Readonly<Record<string, Schema>>;

/** The table below the heading whose first column is headed so: the cells of its rows. */
function table(heading: string, column: string): string[][] {
	const section = TEXT.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? "";
	const rows = section.split(`\n| ${column} `)[1]?.split("\n\n")[0]?.split("\n").slice(2) ?? [];
	return rows.map((row) => row.split(" | ").map((cell) => cell.replace(/^\||\|$/g, "").trim()));
}

/** What stands in the table's second column, by the first. */
function described(heading: string, column: string): Record<string, string> {
	return Object.fromEntries(table(heading, column).map(([name = "", text = ""]) => [name.replaceAll("`", ""), text]));
}

function spans(text: string): string[] {
	return [...text.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? "").sort();
}

/** The keys that a row lists: not what is said of them in brackets, or behind a colon. */
function listed(text: string): string[] {
	return spans(text.replaceAll(/\([^)]*\)/g, "").replace(/: .*/s, ""));
}

/** As they are documented: `cost_usd?` for one that may be absent. */
function keysOf(entries: Entries, known: readonly string[] = []): string[] {
	const keys = Object.entries(entries).filter(([key]) => !known.includes(key));
	return keys.map(([key, { type }]) => `${fileKey(key)}${type === "exact_optional" ? "?" : ""}`).sort();
}

/** The keys of objects in it, but for those that have a shape of their own. */
function innerKeys(entries: Entries): string[] {
	return Object.values(entries).flatMap((schema) => {
		const inner = objectIn(schema);
		return inner === undefined || inner === UsageSchema.entries ? [] : keysOf(inner);
	});
}

function objectIn({ entries, item, wrapped }: Schema): Entries | undefined {
	const inner = item ?? wrapped;
	return entries ?? (inner === undefined ? undefined : objectIn(inner));
}

test.each([
	{ file: "run.json", entries: RunFileSchema.entries },
	{ file: "agent.json", entries: AgentFileSchema.entries },
])("$file is described with all its keys", ({ file, entries }) => {
	const rows = table(file, "key");
	expect(rows.flatMap(([keys = ""]) => spans(keys)).sort()).toEqual(keysOf(entries));
	expect(spans(rows.join())).toEqual(expect.arrayContaining(innerKeys(entries)));
});

test("every event is described with all its keys", () => {
	const rows = described("events.jsonl", "event");
	const found = Object.entries(rows).map(([event, text]) => [event, listed(text)]);
	const events = RUN_EVENTS.map(({ entries }) => [entries.event.literal, keysOf(entries, ["event", "at"])]);
	expect(Object.fromEntries(found)).toEqual(Object.fromEntries(events));
	for (const { entries } of RUN_EVENTS)
		expect(spans(rows[entries.event.literal] ?? "")).toEqual(expect.arrayContaining(innerKeys(entries)));
});

test("every line of a transcript is described with all its keys", () => {
	const rows = described("transcript.jsonl", "role");
	for (const { entries } of [UserEntrySchema, AssistantEntrySchema]) {
		const text = rows[entries.role.literal] ?? "";
		expect(listed(text)).toEqual(keysOf(entries, ["role", "content"]));
		expect(spans(text)).toEqual(expect.arrayContaining(innerKeys(entries)));
	}
	const notes = Object.entries(described("transcript.jsonl", "note")).map(([note, text]) => [note, listed(text)]);
	const schemas = NOTES.map(({ entries }) => [entries.note.literal, keysOf(entries, ["role", "note", "at"])]);
	expect(Object.fromEntries(notes)).toEqual(Object.fromEntries(schemas));
});

test("the shapes that several files share are described with all their keys", () => {
	const rows = described("Shapes used below", "name");
	const optional = (value: number | undefined) => (value === undefined ? "?" : "");
	expect(listed(rows.limits ?? "")).toEqual(
		LIMIT_TABLE.map((limit) => `${fileKey(limit.key)}${optional(limit.default)}`).sort(),
	);
	expect(listed(rows.usage ?? "")).toEqual(keysOf(UsageSchema.entries));
	expect(kindsIn(rows.ending ?? "")).toEqual(kindsOf(ENDINGS));
	expect(kindsIn(rows["command end"] ?? "")).toEqual(kindsOf(COMMAND_ENDS));
});

test("a lock, and the format of the files, are described", () => {
	expect(spans(/`\.lock\.N` holds ([^.;]*)/.exec(TEXT)?.[1] ?? "")).toEqual(keysOf(LockOwnerSchema.entries));
	expect(described("run.json", "key").format).toMatch(new RegExp(`^${RUN_FORMAT};`));
});

/** `failure` (`reason`, `exit_code`) · `answer`: the keys of each kind. */
function kindsIn(text: string): Record<string, string[]> {
	const kinds = text.replace(/^`by`: /, "").split(" · ");
	return Object.fromEntries(
		kinds.map((kind) => [spans(kind.split(" ")[0] ?? "")[0], spans(kind.split(" (")[1] ?? "")]),
	);
}

function kindsOf(kinds: readonly { entries: Entries & { by: { literal: string } } }[]): Record<string, string[]> {
	return Object.fromEntries(kinds.map(({ entries }) => [entries.by.literal, keysOf(entries, ["by"])]));
}
