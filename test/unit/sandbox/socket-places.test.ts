import { expect, test } from "vitest";
import { pathsIn } from "../../../src/sandbox/socket-places.ts";

test("sockets of the file system, each once; none without a path, and no abstract one", () => {
	const table = `Num       RefCount Protocol Flags    Type St Inode Path
0000000000000000: 00000002 00000000 00010000 0001 01 20301 /home/a/with space.sock
0000000000000000: 00000003 00000000 00000000 0001 03 20302 /home/a/with space.sock
0000000000000000: 00000003 00000000 00000000 0001 03 20303
0000000000000000: 00000002 00000000 00010000 0001 01 20304 @/tmp/.X11-unix/X0
`;
	expect(pathsIn(table)).toEqual(["/home/a/with space.sock"]);
});
