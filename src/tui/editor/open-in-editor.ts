/** Writes a message in the person's own editor, which has the terminal meanwhile: in a file that nobody else can read. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AgentreeError } from "../../core/errors.ts";
import { readText } from "../../record/files/regular-file.ts";
import { type Env, isProgram, programOf, runProgram } from "../terminal/chosen-program.ts";
import type { Suspension } from "../terminal/suspension.ts";

export type Edited =
	| { readonly is: "edited"; readonly text: string }
	/** The message is as it was. `reason`: one line for the person. */
	| { readonly is: "failed"; readonly reason: string };

export interface EditorProgram {
	/** `VISUAL`, `EDITOR` and `PATH` are read; the editor gets all of it. */
	readonly env: Env;
	/** Is lent to the editor. */
	readonly terminal: Pick<Suspension, "lend" | "returned">;
	/** Ends the editor. */
	readonly signal?: AbortSignal;
}

/** Debian's choice of the administrator, and those that are nearly everywhere. */
const USUAL = ["editor", "nano", "vim", "vi"];
/** By its name editors know how to colour it, and where to break lines. */
const FILE = "message.md";

/** Resolves when the person has left the editor. */
export async function openInEditor(text: string, program: EditorProgram): Promise<Edited> {
	const { env, terminal } = program;
	const command = editorCommand(env);
	if (command === undefined) return { is: "failed", reason: "no editor found: set EDITOR" };
	let directory: string | undefined;
	try {
		directory = mkdtempSync(join(tmpdir(), "agentree-message-")); // of mode 0700
		const file = join(directory, FILE);
		writeFileSync(file, ended(text), { mode: 0o600, flag: "wx" });
		terminal.lend();
		const { env, signal } = program;
		const trouble = await runProgram(command, { env, words: [file], signal }).finally(() => terminal.returned());
		if (trouble !== undefined) return failed(`the editor failed: ${command}: ${trouble}`);
		return { is: "edited", text: withoutEnd(readText(file), text) };
	} catch (error) {
		if (error instanceof AgentreeError || (error as NodeJS.ErrnoException).code !== undefined)
			return failed((error as Error).message);
		throw error;
	} finally {
		if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
	}
}

/** `$VISUAL`, `$EDITOR`, or the first of the usual ones that is there. */
export function editorCommand({ VISUAL = "", EDITOR = "", PATH = "" }: Env, isThere = isProgram): string | undefined {
	const wanted = VISUAL.trim() || EDITOR.trim();
	return wanted === "" ? USUAL.find((one) => isThere(programOf(one), PATH)) : wanted;
}

function failed(reason: string): Edited {
	return { is: "failed", reason: `${reason}; the message is unchanged` };
}

/** Editors end the last line of a file, and say so of one that has no end. */
function ended(text: string): string {
	return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

function withoutEnd(text: string, before: string): string {
	return before.endsWith("\n") ? text : text.replace(/\r?\n$/, "");
}
