/** One conversation after the other in one terminal, as the person wants it. */
import type { Then } from "../../chat/chat-end.ts";
import { stateDirectoryOf } from "../../config/chosen-directory.ts";
import type { OptionValues } from "../../config/option-table.ts";
import { formerDirectory } from "../../config/working-directory.ts";
import { AgentreeError } from "../../core/errors.ts";
import { complain } from "../../terminal/print.ts";
import { typedAhead } from "../io/typed-ahead.ts";
import { askedSession, sessionWithoutChoice } from "../sessions/asked-session.ts";
import { findSessions, oneSession } from "../sessions/find-session.ts";
import { told } from "../start/prepare-run.ts";
import { converseIn, type Started } from "./converse-in.ts";
import { finishTalk, type StopRun } from "./finish-talk.ts";
import type { ListingCommands } from "./look-up.ts";
import { type OpenSession, openSession } from "./open-session.ts";
import type { TalkRun } from "./talk-run.ts";

type TalkCommands = ListingCommands & { readonly stop: StopRun };

/** Resolves to the exit code. `values`: the options of the first conversation. */
export async function talk(message: string | undefined, values: OptionValues, commands: TalkCommands): Promise<number> {
	typedAhead.hold(process.stdin);
	try {
		return await converseOnAndOn(message, values, commands);
	} finally {
		typedAhead.take();
	}
}

async function converseOnAndOn(
	message: string | undefined,
	values: OptionValues,
	{ stop, ...commands }: TalkCommands,
): Promise<number> {
	const { continue: _, resume: __, fork, name, ...others } = values;
	const cwd = formerDirectory(process, process.env.PWD);
	const home = told(stateDirectoryOf({ env: process.env, cwd, uid: process.getuid?.() ?? 0 }));
	const place = { home, cwd, values: others };
	let own: OptionValues = { ...others, name }; // a name is for the first conversation alone
	let started = await startBy(values, message, { ...place, values: own });
	for (;;) {
		const { end, run } = await converseIn({ ...started, values: own, commands });
		const exitCode = await finishTalk(end, run, stop);
		const after: Then | undefined = end.by === "signal" ? undefined : end.after;
		if (after === undefined) return exitCode;
		own = others;
		started = await startAfter(after, run, place);
	}
}

type Place = Pick<OpenSession, "home" | "cwd" | "values">;

/** By the options of the command line. Rejects with AgentreeError. */
async function startBy(options: OptionValues, message: string | undefined, place: Place): Promise<Started> {
	const asked = askedSession(options);
	const isFork = options.fork === true;
	if (asked.is === "new") return { run: undefined, message };
	if (asked.is === "choose") return { run: undefined, message, picks: { words: "", isFork } };
	const { home, cwd } = place;
	const isUnclear = asked.is === "named" && findSessions(home, asked.wanted, cwd).is === "several";
	if (isUnclear) return { run: undefined, message, picks: { words: asked.wanted, isFork } };
	return { run: await openSession(sessionWithoutChoice(asked, place), { ...place, isFork }), message };
}

/** As the person has chosen in the conversation before. What cannot be gone on with is said, and a new one begins. */
async function startAfter(after: Then, last: TalkRun | undefined, place: Place): Promise<Started> {
	if (after.is === "new") return { run: undefined, message: undefined, draft: after.draft };
	const { home, cwd } = place;
	const { isFork, cut, run = last?.run ?? "" } = after;
	try {
		const opened = await openSession(oneSession(home, run, cwd), { ...place, isFork, cut });
		return { run: opened, message: undefined, draft: cut?.text };
	} catch (error) {
		if (!(error instanceof AgentreeError)) throw error;
		complain(`agent: ${error.message}`);
		return { run: undefined, message: undefined, draft: cut?.text };
	}
}
