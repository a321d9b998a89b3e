/** What becomes of a command that a person has run in a conversation: what of it the next message carries. Pure. */
import { EARLIER_LEFT_OUT, RAN_HERE } from "../../core/model/told-message.ts";
import type { ChatState } from "./chat-state.ts";
import { type Next, next, tell } from "./effect.ts";

/** Characters that a message carries of such commands: the newest ones count. */
const MOST_HEARD = 200_000;

export interface LocalEnd {
	/** What it printed, of much the beginning and the end. */
	readonly output: string;
	/** `exit status 1`, `ended by SIGINT`; undefined: it went well. */
	readonly trouble: string | undefined;
}

export function afterLocal(state: ChatState, { output, trouble }: LocalEnd): Next {
	const { local } = state;
	if (local === undefined) return next(state);
	const after: ChatState = { ...state, local: undefined };
	const told = trouble === undefined ? [] : [tell(trouble, "bad")];
	if (!local.isKept) return next(after, ...told);
	return next({ ...after, heard: withinRoom([...state.heard, heardText(local.line, output, trouble)]) }, ...told);
}

function withinRoom(heard: readonly string[]): readonly string[] {
	let chars = 0;
	const tooOld = heard.findLastIndex((text) => {
		chars += text.length;
		return chars > MOST_HEARD;
	});
	return tooOld < 0 ? heard : [EARLIER_LEFT_OUT, ...heard.slice(tooOld + 1)];
}

/** As the model reads it. */
function heardText(line: string, output: string, trouble: string | undefined): string {
	const end = trouble === undefined ? "" : `[${trouble}]\n`;
	const body = output === "" ? "[it printed nothing]\n" : `${output.replace(/\n?$/, "\n")}`;
	return `${RAN_HERE}\n$ ${line}\n${body}${end}`.trimEnd();
}
