/** A role: who an agent is. Its text follows the system prompt; what else it has narrows what the agent may. Pure. */
import { basename } from "node:path";
import { ASK_MODES } from "../../core/ask-mode.ts";
import { defined } from "../../core/defined.ts";
import { EFFORTS, type Effort } from "../../core/effort.ts";
import { AgentreeError } from "../../core/errors.ts";
import { LIMIT_TABLE, type Limits } from "../../core/limits/limits.ts";
import { SANDBOX_MODES, type SandboxMode } from "../../core/machine/sandbox.ts";
import { preview } from "../../core/preview.ts";
import type { AskedNarrowing } from "../../core/rules/narrowing.ts";
import { faultIn } from "../../core/rules/rule.ts";
import { readLimits } from "../config/read-limits.ts";
import { type Definition, isName, type Kind, markdownFile } from "./defined-files.ts";
import { type FrontMatterValue, readFrontMatter, textOf } from "./front-matter.ts";

const MAX_DESCRIPTION = 1_000; // characters that are kept; a list of roles has fewer
const MAX_WORD = 100; // characters

export interface Role {
	readonly name: string;
	readonly description: string;
	/** What the agent is told. */
	readonly text: string;
	/** As it is written there; absent: that of the parent, or of the run. */
	readonly model?: string;
	readonly effort?: Effort;
	readonly limits: Partial<Limits>;
	/** Narrows the sandbox of its agents, where there is one. */
	readonly sandbox?: SandboxMode;
	/** Narrows what its agents may run without a question, or at all. */
	readonly asking?: AskedNarrowing;
	/** What of the file has no effect, a line each. */
	readonly notices: readonly string[];
}

export const ROLES: Kind<Role> = {
	called: "role",
	fileOf: markdownFile,
	read: ({ text, path }) => readRole(text, basename(path, ".md")),
};

const OWN_KEYS = ["name", "description", "model", "effort", "tools", "sandbox", "ask", "ask-for", "deny"];

/** `fileName`: the name of the role when the text has none. */
export function readRole(text: string, fileName: string): Definition<Role> {
	const read = readFrontMatter(text);
	if (read === undefined) return refused("its front matter is not closed");
	const { values, body } = read;
	if (!values.has("name") && !values.has("description"))
		return refused("it has no front matter with a name or a description");
	const word = (key: string) => wordOf(values.get(key));
	const name = word("name") ?? fileName;
	if (!isName(name)) return refused(`"${preview(name, MAX_WORD)}" is not a valid name for a role`);
	const limits = limitsIn(values);
	if (typeof limits === "string") return refused(limits);
	const asking = askingIn(values);
	if (typeof asking === "string") return refused(asking);
	const [model, effort, sandbox] = [word("model"), effortIn(values), sandboxIn(values)];
	return {
		is: "defined",
		what: {
			...{ name, description: preview(textOf(values.get("description")), MAX_DESCRIPTION), text: body, limits },
			...defined({ model: model === "inherit" ? undefined : model, effort, sandbox, asking }),
			notices: noticesOf(values),
		},
	};
}

/** A wrong value is told: what was meant to be denied is not left out. */
function askingIn(values: ReadonlyMap<string, FrontMatterValue>): AskedNarrowing | string | undefined {
	const word = wordOf(values.get("ask"));
	const mode = ASK_MODES.find((one) => one === word);
	if (word !== undefined && mode === undefined)
		return `ask must be ${ASK_MODES.join(", ")}, not "${preview(word, MAX_WORD)}"`;
	const [ask, deny] = [rulesIn(values.get("ask-for")), rulesIn(values.get("deny"))];
	const fault = faultIn({ allow: [], ask, deny });
	if (fault !== undefined) return fault;
	if (mode === undefined && ask.length + deny.length === 0) return undefined;
	return { ...(mode && { mode }), ...(ask.length > 0 && { ask }), ...(deny.length > 0 && { deny }) };
}

function rulesIn(value: FrontMatterValue | undefined): readonly string[] {
	return value === undefined || value === "" ? [] : typeof value === "string" ? [value] : value;
}

/** A wrong value is told: a limit that was meant to be there is not left out. */
function limitsIn(values: ReadonlyMap<string, FrontMatterValue>): Partial<Limits> | string {
	try {
		return readLimits(
			(flag) =>
				keysOf(flag)
					.map((key) => preview(textOf(values.get(key)), MAX_WORD))
					.find(Boolean),
			{},
		);
	} catch (error) {
		if (error instanceof AgentreeError) return error.message.replace(/^--/, "");
		throw error;
	}
}

/** `max-turns`, and as other programs write it: `maxTurns`, `max_turns`. */
function keysOf(flag: string): string[] {
	return [flag, flag.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()), flag.replaceAll("-", "_")];
}

function effortIn(values: ReadonlyMap<string, FrontMatterValue>): Effort | undefined {
	const word = wordOf(values.get("effort"))?.toLowerCase();
	return EFFORTS.find((effort) => effort === word);
}

function sandboxIn(values: ReadonlyMap<string, FrontMatterValue>): SandboxMode | undefined {
	const word = wordOf(values.get("sandbox"))?.toLowerCase();
	return SANDBOX_MODES.find((mode) => mode === word);
}

function noticesOf(values: ReadonlyMap<string, FrontMatterValue>): string[] {
	const known = [...OWN_KEYS, ...LIMIT_TABLE.flatMap(({ flag }) => keysOf(flag))];
	const unknown = [...values.keys()].filter((key) => !known.includes(key));
	const [tools, sandbox, effort] = ["tools", "sandbox", "effort"].map((key) =>
		preview(textOf(values.get(key)), MAX_WORD),
	);
	return [
		...(tools ? [`tools (${tools}): every agent has only bash`] : []),
		...(sandbox && sandboxIn(values) === undefined
			? [`sandbox (${sandbox}): not one of ${SANDBOX_MODES.join(", ")}`]
			: []),
		...(sandboxIn(values) === "off" ? ["sandbox (off): a role can only restrict the run's sandbox"] : []),
		...(effort && effortIn(values) === undefined ? [`effort (${effort}): not one of ${EFFORTS.join(", ")}`] : []),
		...(unknown.length === 0 ? [] : [`unknown keys: ${preview(unknown.join(", "), MAX_WORD)}`]),
	];
}

/** Undefined for no word, and for one that is too long to be one. */
function wordOf(value: FrontMatterValue | undefined): string | undefined {
	const text = textOf(value);
	return text === "" || text.length > MAX_WORD ? undefined : text;
}

function refused(why: string): Definition<Role> {
	return { is: "refused", why };
}
