import { expect, test } from "vitest";
import { seccompFilter } from "../../../src/sandbox/seccomp-filter.ts";

const ALLOW = 0x7fff0000;
const [EPERM, ENOSYS, EAFNOSUPPORT] = [0x00050001, 0x00050026, 0x00050061];
const [X64, I386] = [0xc000003e, 0x40000003];
const NEW_CGROUP = 0x02000000;

/** Runs the filter as the kernel does, on struct seccomp_data. */
function answerTo(filter: Buffer, { arch, nr, flags = 0 }: { arch: number; nr: number; flags?: number }): number {
	const data: Record<number, number> = { 0: nr, 4: arch, 16: flags };
	let value = 0;
	for (let at = 0; at * 8 < filter.length; at++) {
		const [code, k] = [filter.readUInt16LE(at * 8), filter.readUInt32LE(at * 8 + 4)];
		const jump = (holds: boolean) => filter.readUInt8(at * 8 + (holds ? 2 : 3));
		if (code === 0x20) value = data[k] ?? 0;
		else if (code === 0x15) at += jump(value === k);
		else if (code === 0x35) at += jump(value >= k);
		else if (code === 0x45) at += jump((value & k) !== 0);
		else if (code === 0x06) return k;
		else throw new Error(`unknown code ${code}`);
	}
	throw new Error("no end");
}

test.each([
	["read", { arch: X64, nr: 0 }, ALLOW],
	["keyctl", { arch: X64, nr: 250 }, ENOSYS],
	["add_key", { arch: X64, nr: 248 }, ENOSYS],
	["clone3", { arch: X64, nr: 435 }, ENOSYS],
	["fork as clone", { arch: X64, nr: 56, flags: 17 }, ALLOW],
	["clone of a control group namespace", { arch: X64, nr: 56, flags: NEW_CGROUP | 17 }, EPERM],
	["unshare of the mounts", { arch: X64, nr: 272, flags: 0x00020000 }, ALLOW],
	["unshare of the control groups", { arch: X64, nr: 272, flags: NEW_CGROUP }, EPERM],
	["keyctl by x32", { arch: X64, nr: 0x40000000 | 250 }, ENOSYS],
	["keyctl by 32 bits", { arch: I386, nr: 288 }, ENOSYS],
	["read by 32 bits", { arch: I386, nr: 3 }, ALLOW],
	["a socket of the file system", { arch: X64, nr: 41, flags: 1 }, ALLOW],
	["a socket of IPv6", { arch: X64, nr: 41, flags: 10 }, ALLOW],
	["a socket to the machine around this one", { arch: X64, nr: 41, flags: 40 }, EAFNOSUPPORT],
	["the same by 32 bits", { arch: I386, nr: 359, flags: 40 }, EAFNOSUPPORT],
	["a call of 32 bits that may make it, too", { arch: I386, nr: 102, flags: 1 }, ENOSYS],
	["a ring that may make it, too", { arch: X64, nr: 425 }, ENOSYS],
	["a pair of sockets", { arch: X64, nr: 53, flags: 1 }, ALLOW],
	["anything by an unknown architecture", { arch: 1, nr: 0 }, ENOSYS],
])("%s", (_, call, expected) => {
	const filter = seccompFilter("x64") ?? Buffer.alloc(0);
	expect(answerTo(filter, call)).toBe(expected);
});

test("there is one for arm64, and none for what is not known", () => {
	expect(answerTo(seccompFilter("arm64") ?? Buffer.alloc(0), { arch: 0xc00000b7, nr: 219 })).toBe(ENOSYS);
	expect(seccompFilter("riscv64")).toBeUndefined();
});
