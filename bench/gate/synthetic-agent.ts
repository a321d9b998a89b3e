/** An agent as the supervisor sees one: a connection that joins, asks, tells of its command, and finishes. */
import type { Message, UserBlock } from "../../src/core/model/message.ts";
import { enterOwnCgroup } from "../../src/processes/cgroups/run-cgroup.ts";
import { ownPidNamespace } from "../../src/processes/table/pid-namespace.ts";
import type { FromAgent, ToAgent } from "../../src/wire/agent-messages.ts";
import { type Connection, connectTo, WIRE_VERSION } from "../../src/wire/connection.ts";
import type { Hello } from "../../src/wire/from-client.ts";

const CALL_ID = "toolu_1";
const RESULT = "total 48\n-rw-r--r-- 1 user user 4096 file.ts\n".repeat(20);

export class SyntheticAgent {
	readonly pid: number;
	private readonly connection: Connection<ToAgent, FromAgent | Hello>;
	private joined: { run: string; agent: string } | undefined;
	private readonly task: string;
	private commands = 0;
	/** The task and the newest answer: a request as short as it may be. */
	private messages: Message[] = [];
	private waiting: { say: ToAgent["say"]; resolve: (reply: ToAgent) => void; reject: (why: Error) => void } | undefined;

	private constructor(pid: number, connection: Connection<ToAgent, FromAgent | Hello>) {
		this.pid = pid;
		this.task = `part ${pid}`;
		this.connection = connection;
		connection.onMessage((message) => this.told(message));
		connection.onClose(() =>
			this.waiting?.reject(new Error(`the connection closed before it was told ${this.waiting.say}`)),
		);
	}

	static async join(socket: string, pid: number, cwd: string): Promise<SyntheticAgent> {
		const agent = new SyntheticAgent(
			pid,
			await connectTo<ToAgent, FromAgent | Hello>(socket, (value) => value as ToAgent),
		);
		const { task } = agent;
		agent.connection.send({ say: "hello", version: WIRE_VERSION, role: "agent", pid });
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
		const isFirst = this.messages.length === 0;
		const content: UserBlock[] = isFirst
			? [{ type: "text", text: this.task }]
			: [{ type: "tool_result", tool_use_id: CALL_ID, content: RESULT }];
		this.send({ say: "record", entry: { role: "user", content } });
		const messages: Message[] = [...this.messages, { role: "user", content }];
		const reply = await this.ask({ say: "ask", messages }, "reply");
		const answer = reply.say === "reply" ? (reply.answer?.content ?? []) : [];
		this.messages = [messages[0] ?? { role: "user", content }, { role: "assistant", content: answer }];
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

	private ask(message: FromAgent, say: ToAgent["say"]): Promise<ToAgent> {
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
			waiting.resolve(message);
		} else if (message.say !== "children" && message.say !== "stop") {
			waiting?.reject(new Error(`told ${JSON.stringify(message)} instead of ${waiting.say}`));
		}
	}
}
