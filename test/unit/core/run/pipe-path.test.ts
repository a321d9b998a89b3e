import { expect, test } from "vitest";
import { pipesDirectory, socketOfPipe } from "../../../../src/core/run/pipe-path.ts";

const RUN = "20261127-201530-k3f9";

test("a run's pipes are beside its socket", () => {
	expect(pipesDirectory(`/run/user/7/agentree/${RUN}.sock`)).toBe(`/run/user/7/agentree/${RUN}.pipes`);
});

test("the pipe that a command's output goes to tells the run's socket, and no other path does", () => {
	const directory = `/tmp/agentree-7/${RUN}.pipes`;
	const socket = `/tmp/agentree-7/${RUN}.sock`;
	expect(socketOfPipe(`${directory}/stock-12 (deleted)`)).toBe(socket);
	expect(socketOfPipe(`${directory}/1.2-811-3`)).toBe(socket);
	expect(socketOfPipe(`${directory}/1/2/stock-3 (deleted)`)).toBe(socket);
	const log = `/home/u/.local/state/agentree/runs/${RUN}/1/out/0001.log`;
	for (const other of [log, `${directory}/a/b`, "/tmp/x.pipes/1", "pipe:[81]", "/dev/null", ""])
		expect(socketOfPipe(other)).toBeUndefined();
});
