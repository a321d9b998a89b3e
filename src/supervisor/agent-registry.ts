/** Who is connected as which agent, and by which token its commands are known. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { AgentId } from "../core/agent.ts";
import type { CommandEnd, CommandStart } from "../core/command.ts";
import type { ToAgent } from "../protocol/agent-messages.ts";
import type { LastCommand } from "./calls/last-output.ts";
import type { Member } from "./member.ts";
import type { AgentConnection } from "./server.ts";

interface EndedCommand {
	command: number;
	log: string;
	outputBytes: number;
	end?: CommandEnd;
}

export class AgentRegistry {
	private readonly lastCommands = new Map<AgentId, EndedCommand>();
	private readonly members = new Map<AgentId, Member>();
	private readonly agentByToken = new Map<string, AgentId>();
	private readonly agentByConnection = new Map<number, AgentId>();
	private readonly connections = new Map<AgentId, AgentConnection>();

	newToken(): string {
		return randomBytes(16).toString("hex");
	}

	agentOfToken(token: string): AgentId | undefined {
		return this.agentByToken.get(token);
	}

	add(member: Member, connection: AgentConnection): void {
		this.members.set(member.id, member);
		this.agentByToken.set(member.token, member.id);
		this.agentByConnection.set(connection.number, member.id);
		this.connections.set(member.id, connection);
	}

	/** The agent stays known, by its token and as a parent in the tree; only its connection is gone. */
	disconnect(connection: AgentConnection): AgentId | undefined {
		const agent = this.agentByConnection.get(connection.number);
		this.agentByConnection.delete(connection.number);
		if (agent !== undefined) this.connections.delete(agent);
		return agent;
	}

	member(agent: AgentId): Member | undefined {
		return this.members.get(agent);
	}

	/** For a timer: does nothing when the agent goes on meanwhile in another process. */
	ifSame(agent: AgentId, then: () => unknown): () => void {
		const member = this.member(agent);
		return () => {
			if (this.member(agent) === member) then();
		};
	}

	agentOn(connection: AgentConnection): AgentId | undefined {
		return this.agentByConnection.get(connection.number);
	}

	isConnected(agent: AgentId): boolean {
		return this.connections.has(agent);
	}

	send(agent: AgentId, message: ToAgent): void {
		this.connections.get(agent)?.send(message);
	}

	/** The newest command of the agent that has ended: where its output is, and its exit status. */
	lastCommand(agent: AgentId, directory: string): LastCommand | undefined {
		const last = this.lastCommands.get(agent);
		if (last === undefined) return undefined;
		const { log, end, outputBytes } = last;
		const exitCode = end?.by === "exit" ? end.code : undefined;
		return { log: join(directory, log), printedBytes: outputBytes, exitCode };
	}

	commandStarted(agent: AgentId, { command, log }: CommandStart): void {
		this.lastCommands.set(agent, { command, log, outputBytes: 0 });
	}

	commandEnded(agent: AgentId, ended: { command: number; end: CommandEnd; outputBytes: number }): void {
		const last = this.lastCommands.get(agent);
		if (last?.command === ended.command) Object.assign(last, { end: ended.end, outputBytes: ended.outputBytes });
	}

	closeAll(): void {
		for (const connection of this.connections.values()) connection.close();
	}
}
