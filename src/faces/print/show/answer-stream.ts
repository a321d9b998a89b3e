/** The pieces of an agent's answers while they are written, from the run's supervisor. Without it they come when they are recorded. */
import type { AgentId } from "../../../core/model/agent.ts";
import type { ModelDelta } from "../../../core/model/model.ts";
import type { RunEvent } from "../../../core/run/run-event.ts";
import type { RunState } from "../../../core/run/run-state.ts";
import { ownIdentity } from "../../../processes/table/pid-namespace.ts";
import { connectAsWatcher, type WatcherConnection } from "../../../wire/watcher-connection.ts";

export interface AnswerPiece {
	readonly turn: number;
	/** How often the turn's call had been made again before. */
	readonly attempt: number;
	readonly delta: ModelDelta;
}

/** The result ends it. Whatever keeps the supervisor from telling, nothing is said of it: nothing is lost. */
export function streamAnswers(socket: string, agent: AgentId, onPiece: (piece: AnswerPiece) => void): () => void {
	let isOver = false;
	let connection: WatcherConnection | undefined;
	connectAsWatcher(socket, ownIdentity(process.pid)).then(
		(connected) => {
			connection = connected;
			if (isOver) return connected.close();
			listen(connected, agent, onPiece);
		},
		() => {},
	);
	return () => {
		isOver = true;
		connection?.close();
	};
}

function listen(connection: WatcherConnection, agent: AgentId, onPiece: (piece: AnswerPiece) => void): void {
	let attempt = 0;
	connection.onMessage((message) => {
		if (message.say === "refused") return connection.close();
		if (message.say === "snapshot") attempt = attemptIn(message.state, agent);
		if (message.say === "event") attempt = attemptAfter(message.event, agent) ?? attempt;
		if (message.say === "delta" && message.agent === agent)
			onPiece({ turn: message.turn, attempt, delta: message.delta });
	});
	connection.send({ say: "watch" });
	connection.send({ say: "focus", agent });
}

function attemptIn({ agents }: RunState, agent: AgentId): number {
	const state = agents[agent]?.state;
	return state?.is === "thinking" ? (state.retry?.attempt ?? 0) : 0;
}

/** The attempt of the agent's call after the event; undefined when it says nothing about that. */
export function attemptAfter(event: RunEvent, agent: AgentId): number | undefined {
	if (event.event === "turn_started" && event.agent === agent) return 0;
	return event.event === "turn_retrying" && event.agent === agent ? event.attempt : undefined;
}
