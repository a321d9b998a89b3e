/** The agents of this run that have joined: their connections, tokens and newest commands. */
import { randomBytes } from "node:crypto";
import { type CommandEnd, type CommandStart, commandLog } from "../../core/bash-call.ts";
import type { AgentId } from "../../core/model/agent.ts";
import type { AgentFile } from "../../core/schemas/run-files.ts";
import { outputPath } from "../../record/run-directory.ts";
import type { ToAgent } from "../../wire/agent-messages.ts";

export interface AgentConnection {
	readonly number: number;
	send(message: ToAgent): void;
	/** Closes the connection because of what came over it. */
	refuse(reason: string): void;
	close(): void;
}

/** An agent's newest command. `log`: the file with its output, below the run's directory; `exitCode`: undefined when it had none. */
export interface LastCommand {
	directory: string;
	log: string;
	printedBytes: number;
	exitCode: number | undefined;
}

/** What the supervisor knows of an agent beside the run's state. */
export interface RegisteredAgent {
	readonly id: AgentId;
	readonly token: string;
	/** Once the agent has ended, without the texts of its prompt: agent.json has them. */
	readonly file: AgentFile;
	readonly compactAt: number;
}

interface NewestCommand {
	command: number;
	outputBytes: number;
	end?: CommandEnd;
}

export class AgentRegistry {
	private readonly lastCommands = new Map<AgentId, NewestCommand>();
	private readonly agents = new Map<AgentId, RegisteredAgent>();
	private readonly agentByToken = new Map<string, AgentId>();
	private readonly agentByConnection = new Map<number, AgentId>();
	private readonly connections = new Map<AgentId, AgentConnection>();

	newToken(): string {
		return randomBytes(16).toString("hex");
	}

	agentOfToken(token: string): AgentId | undefined {
		return this.agentByToken.get(token);
	}

	add(agent: RegisteredAgent, connection: AgentConnection): void {
		this.agents.set(agent.id, agent);
		this.agentByToken.set(agent.token, agent.id);
		this.agentByConnection.set(connection.number, agent.id);
		this.connections.set(agent.id, connection);
	}

	/** What is known of the agent is this from now on. */
	replace(agent: RegisteredAgent): void {
		this.agents.set(agent.id, agent);
	}

	/** Of an agent that has ended what bounds its processes stays known, and not what it was told, which may be long. */
	ended(id: AgentId): void {
		const agent = this.agents.get(id);
		if (agent === undefined) return;
		const { systemPrompt: _, appendSystemPrompt: __, jsonSchema: ___, ...file } = agent.file;
		const { instructions: ____, instructionFiles: _____, rolePrompt: ______, ...bounds } = file;
		this.agents.set(id, { ...agent, file: { ...bounds, task: "", system: "" } });
	}

	/** Removes the connection alone: the agent stays known by its token and as a parent. Gives the agent that was on it. */
	disconnect(connection: AgentConnection): AgentId | undefined {
		const agent = this.agentByConnection.get(connection.number);
		this.agentByConnection.delete(connection.number);
		if (agent !== undefined) this.connections.delete(agent);
		return agent;
	}

	get(agent: AgentId): RegisteredAgent | undefined {
		return this.agents.get(agent);
	}

	/** A callback for a timer that does nothing when the agent has been resumed in another process meanwhile. */
	ifSame(agent: AgentId, then: () => unknown): () => void {
		const token = this.get(agent)?.token;
		return () => {
			if (this.get(agent)?.token === token) then();
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

	/** The newest command of the agent: where below the run's directory its output is, and its exit status once it has ended. */
	lastCommand(agent: AgentId, directory: string): LastCommand | undefined {
		const last = this.lastCommands.get(agent);
		if (last === undefined) return undefined;
		const { command, end, outputBytes } = last;
		const exitCode = end?.by === "exit" ? end.code : undefined;
		return {
			directory,
			log: outputPath("", agent, commandLog(command)),
			printedBytes: outputBytes,
			exitCode,
		};
	}

	commandStarted(agent: AgentId, { command }: Pick<CommandStart, "command">): void {
		this.lastCommands.set(agent, { command, outputBytes: 0 });
	}

	commandEnded(agent: AgentId, ended: { command: number; end: CommandEnd; outputBytes: number }): void {
		const last = this.lastCommands.get(agent);
		if (ended.end.by === "not_started") this.lastCommands.delete(agent);
		if (last?.command === ended.command) Object.assign(last, { end: ended.end, outputBytes: ended.outputBytes });
	}

	closeAll(): void {
		for (const connection of this.connections.values()) connection.close();
	}
}
