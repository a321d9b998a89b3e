/** `agent send`: a message to an agent, which it gets before its next call. */

import { AgentreeError } from "../../core/errors.ts";
import { MAX_MESSAGE_CHARS } from "../../core/model/told-message.ts";
import type { Io } from "../../faces/print/io.ts";
import type { Command } from "../../project/config/command-table.ts";
import { isRef } from "../../project/config/run-names.ts";
import { readTask, requireTask } from "../../terminal/stdin.ts";
import { safeJson } from "../../text/safe/invisible.ts";
import { describeArrival } from "../../wire/open-requests.ts";
import { askRun, findTarget } from "../act/ask-run.ts";
import { withProcessIo } from "../io/process-io.ts";
import { isRunHere } from "../sessions/find-session.ts";

export const command: Command = ([first, second], { json }) =>
	withProcessIo((io) => send({ ...parted(first, second), json: json === true }, io));

export interface SendOptions {
	/** Without one: the root of the newest living run of this directory. */
	readonly ref: string | undefined;
	/** Undefined or `-`: it is on stdin. */
	readonly message: string | undefined;
	readonly json: boolean;
}

/** One argument is a message, unless it names a run or an agent: then the message is on stdin. */
function parted(first: string | undefined, second: string | undefined): Pick<SendOptions, "ref" | "message"> {
	const isRefFirst = second !== undefined || (first !== undefined && isRef(first, isRunHere));
	return isRefFirst ? { ref: first, message: second } : { ref: undefined, message: first };
}

async function send({ ref, message, json }: SendOptions, io: Io): Promise<number> {
	const target = findTarget(io, ref);
	const { run, agent } = target;
	const text = await textOf(message);
	const { arrives } = await askRun(target, { request: { say: "send", agent, text }, answer: "sent" }, io);
	if (json) io.stdout(`${safeJson({ run, agent, arrives }, "\t")}\n`);
	else io.stdout(`sent to agent ${run}/${agent}: ${describeArrival(arrives)}\n`);
	return 0;
}

async function textOf(message: string | undefined): Promise<string> {
	try {
		requireTask(message);
	} catch {
		throw usage('no message: give it as an argument, as in agent send 1.2 "look at the tests", or pipe it in');
	}
	const { task: text } = await readTask(message, "never");
	if (text.trim() === "") throw usage("the message is empty");
	if (text.length <= MAX_MESSAGE_CHARS) return text;
	throw usage(
		`the message has ${text.length} characters, at most ${MAX_MESSAGE_CHARS}: put it in a file and send its path`,
	);
}

function usage(message: string): AgentreeError {
	return new AgentreeError("usage", message);
}
