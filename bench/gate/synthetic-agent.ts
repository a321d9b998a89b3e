/** An agent as the supervisor sees one: a connection that joins, asks, tells of its command, and finishes. */

import { ownPidNamespace } from "../../src/processes/pid-namespace.ts";
import { enterOwnCgroup } from "../../src/processes/run-cgroup.ts";
import type { FromAgent, ToAgent } from "../../src/protocol/agent-messages.ts";
import { type Connection, connectTo } from "../../src/protocol/connection.ts";
import { fromSupervisor } from "../../src/protocol/from-supervisor.ts";

const SYSTEM = "You are an agent of a tree. ".repeat(80);
const RESULT = "total 48\n-rw-r--r-- 1 user user 4096 file.ts\n".repeat(20);

export class SyntheticAgent {
	readonly pid: number;
	private readonly connection: Connection<ToAgent, FromAgent>;
	private joined: { run: string; agent: string } | undefined;
	private commands = 0;
	private waiting: { say: ToAgent["say"]; resolve: () => void; reject: (why: Error) => void } | undefined;

	private constructor(pid: number, connection: Connection<ToAgent, FromAgent>) {
		this.pid = pid;
		this.connection = connection;
		connection.onMessage((message) => this.told(message));
		connection.onClose(() =>
			this.waiting?.reject(new Error(`the connection closed before it was told ${this.waiting.say}`)),
		);
	}

	static async join(socket: string, pid: number, cwd: string): Promise<SyntheticAgent> {
		const agent = new SyntheticAgent(pid, await connectTo<ToAgent, FromAgent>(socket, fromSupervisor));
		const task = `part ${pid}`;
		await agent.ask({ say: "join", pid, pidNamespace: ownPidNamespace(), task, cwd, command: 1, limits: {} }, "joined");
		if (agent.joined !== undefined) await enterOwnCgroup(agent.joined, { pid }); // as an agent does before its first command
		return agent;
	}

	/** From the record of a command's result to the end of the next command. */
	async turn(): Promise<void> {
		await this.think();
		this.startCommand();
		const end = { by: "exit", code: 0 } as const;
		this.send({ say: "command_ended", command: this.commands, end, outputBytes: 900, leftRunning: [] });
	}

	async think(): Promise<void> {
		const content = [{ type: "tool_result" as const, tool_use_id: "toolu_1", content: RESULT }];
		this.send({ say: "record", entry: { role: "user", content, at: Date.now() } });
		const messages = [{ role: "user" as const, content }];
		const request = { system: SYSTEM, tools: [], messages, mayUseTools: true };
		await this.ask({ say: "ask", request, kind: "turn" }, "answer");
	}

	startCommand(): void {
		this.commands += 1;
		const pid = this.pid * 10 + (this.commands % 10);
		this.send({ say: "command_started", command: this.commands, text: "ls -l src", pid, startTime: "1" });
	}

	async finish(): Promise<void> {
		await this.ask({ say: "finish", ending: { by: "answer" } }, "finished");
		this.leave();
	}

	leave(): void {
		this.connection.close();
	}

	private send(message: FromAgent): void {
		this.connection.send(message);
	}

	private ask(message: FromAgent, say: ToAgent["say"]): Promise<void> {
		return new Promise((resolve, reject) => {
			this.waiting = { say, resolve, reject };
			this.send(message);
		});
	}

	private told(message: ToAgent): void {
		if (message.say === "joined") this.joined = message;
		const { waiting } = this;
		if (message.say === waiting?.say) {
			this.waiting = undefined;
			waiting.resolve();
		} else if (message.say !== "children" && message.say !== "stop") {
			waiting?.reject(new Error(`told ${JSON.stringify(message)} instead of ${waiting.say}`));
		}
	}
}
