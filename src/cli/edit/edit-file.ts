/** A file changed by what is made of its text, and put back. Looked at once more when somebody else changed it meanwhile. */
import { AgentreeError } from "../../core/errors.ts";
import { type FileText, fileTextOf } from "./file-text.ts";
import { inTurn } from "./file-turn.ts";
import { type FoundFile, findFile, identityOf, makeFile, replaceFile } from "./put-file.ts";

export type Edited =
	| { readonly is: "changed"; readonly before: string; readonly after: string }
	| { readonly is: "made"; readonly after: string }
	| { readonly is: "refused"; readonly why: string };

/** The new text, in the encoding of the file, or why there is none. `undefined` stands for a file that is not there. */
export type Change = (file: FileText | undefined) => { readonly text: string } | { readonly why: string };

const MOST_TRIES = 20;

/** `now`: this machine's clock. Throws AgentreeError("not_writable"). */
export function editFile(name: string, change: Change, now: () => number): Promise<Edited> {
	if (name === "") throw new AgentreeError("usage", "the name of the file is empty");
	return inTurn(identityOf(name), now, () => edit(name, change));
}

/** Why a file is as it was, line by line. */
export function refusalLines(name: string, why: string): string[] {
	return `agent: ${name}: ${why}\nagent: nothing was changed`.split("\n").map((line) => `${line}\n`);
}

function edit(name: string, change: Change): Edited {
	for (let tries = 0; tries < MOST_TRIES; tries++) {
		const found = findFile(name);
		if (found === undefined) return make(name, change);
		const edited = editFound(name, found, change);
		if (edited !== undefined) return edited;
	}
	throw new AgentreeError("not_writable", `${name}: others change it all the time; try once more`);
}

function make(name: string, change: Change): Edited {
	const made = change(undefined);
	if ("why" in made) return { is: "refused", why: made.why };
	makeFile(name, Buffer.from(made.text, "utf8"));
	return { is: "made", after: made.text };
}

/** Undefined when somebody has changed the file meanwhile. */
function editFound(name: string, found: FoundFile, change: Change): Edited | undefined {
	const file = fileTextOf(found.bytes);
	if (file.is === "no_text") throw new AgentreeError("not_writable", `${name}: ${file.why}`);
	const changed = change(file);
	if ("why" in changed) return { is: "refused", why: changed.why };
	const isSame = changed.text === file.text;
	if (!isSame && !replaceFile(found, file.bytesOf(changed.text))) return undefined;
	return { is: "changed", before: file.text, after: changed.text };
}
