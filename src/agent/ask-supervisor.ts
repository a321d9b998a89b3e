/** One request of a command of an agent, over a connection of its own. It loads no schemas: it is for bundles that a command waits for. */
import { AgentreeError } from "../core/errors.ts";
import { ownIdentity } from "../processes/table/pid-namespace.ts";
import { connectAsPerson, type Heard } from "../wire/person-connection.ts";
import type { FromWatcher, ToWatcher } from "../wire/watcher-messages.ts";
import { connectPatiently } from "./connect-patiently.ts";

export interface SupervisorRequest<A> {
	readonly request: FromWatcher;
	/** The words of all messages that may come, beside a refusal. */
	readonly hears: readonly ToWatcher["say"][];
	/** Undefined for a message after which another one comes. `say`: says more to the supervisor. */
	readonly answerIn: (message: ToWatcher, say: (more: FromWatcher) => void) => A | undefined;
	/** Absent: an answer may take as long as it takes. */
	readonly withinMs?: number;
	/** Goes behind the words for a supervisor that gives no answer. */
	readonly meaning?: string;
}

/** Rejects with AgentreeError: `refused` with the reason, `out_of_reach` when there is no answer. */
export async function askSupervisor<A>(
	socket: string,
	{ request, hears, answerIn, withinMs, meaning = "" }: SupervisorRequest<A>,
): Promise<A> {
	const outOfReach = (what: string) =>
		new AgentreeError("out_of_reach", `the supervisor of this run ${what}${meaning}`);
	const parse = parserOf(hears);
	const connection = await connectPatiently(() =>
		connectAsPerson(socket, { self: ownIdentity(process.pid), onWelcome: () => {}, parse }),
	).catch((error: Error) => {
		throw outOfReach(`cannot be asked (${error.message})`);
	});
	return new Promise((resolve, reject) => {
		const fail = (error: AgentreeError) => settle(() => reject(error));
		const late = () => fail(outOfReach(`has said nothing for ${(withinMs ?? 0) / 1_000} s`));
		const timer = withinMs === undefined ? undefined : setTimeout(late, withinMs);
		const settle = (act: () => void) => {
			clearTimeout(timer);
			connection.close();
			act();
		};
		connection.onMessage((message) => {
			if (message.say === "refused") return fail(new AgentreeError("refused", message.reason));
			const answer = answerIn(message, connection.send);
			if (answer !== undefined) settle(() => resolve(answer));
		});
		connection.onClose(() => fail(outOfReach("has closed the connection")));
		connection.send(request);
	});
}

/** Both are of one build: the word is all that is checked. */
function parserOf(hears: readonly ToWatcher["say"][]): (value: object) => Heard | undefined {
	const words = new Set<unknown>(["challenge", "welcome", "refused", ...hears]);
	return (value) => ("say" in value && words.has(value.say) ? (value as Heard) : undefined);
}
