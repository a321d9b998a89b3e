import { expect, test } from "vitest";
import { seccompFilter } from "../../../src/sandbox/seccomp-filter.ts";

const ALLOW = 0x7fff0000;
const [EPERM, ENOSYS, EOPNOTSUPP, EAFNOSUPPORT] = [0x00050001, 0x00050026, 0x0005005f, 0x00050061];
const [X64, I386, ARM64, ARM] = [0xc000003e, 0x40000003, 0xc00000b7, 0x40000028];
const NEW_CGROUP = 0x02000000;

/** Runs the filter as the kernel does, on struct seccomp_data. */
function answerTo(filter: Buffer, call: { arch: number; nr: number; flags?: number; args?: number[] }): number {
	const { arch, nr, flags = 0, args = [flags] } = call;
	const data: Record<number, number> = { 0: nr, 4: arch };
	for (const [at, value] of args.entries()) data[16 + 8 * at] = value;
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
	["the descriptor of another process", { arch: X64, nr: 438 }, EPERM],
	["anything by an unknown architecture", { arch: 1, nr: 0 }, ENOSYS],
])("%s", (_, call, expected) => {
	const filter = seccompFilter("x64") ?? Buffer.alloc(0);
	expect(answerTo(filter, call)).toBe(expected);
});

const modes: readonly [number, Record<string, [nr: number, at: number]>][] = [
	[X64, { chmod: [90, 1], fchmod: [91, 1], fchmodat: [268, 2], creat: [85, 1], mknod: [133, 1], mknodat: [259, 2] }],
	[I386, { chmod: [15, 1], fchmod: [94, 1], fchmodat: [306, 2], creat: [8, 1], mknod: [14, 1], mknodat: [297, 2] }],
	[ARM64, { fchmod: [52, 1], fchmodat: [53, 2], fchmodat2: [452, 2], mknodat: [33, 2] }],
	[ARM, { chmod: [15, 1], fchmod: [94, 1], fchmodat: [333, 2], creat: [8, 1], mknod: [14, 1], mknodat: [324, 2] }],
];
const filterOf = (arch: number, shares = false) =>
	seccompFilter(arch === X64 || arch === I386 ? "x64" : "arm64", { mayShareGroup: shares }) ?? Buffer.alloc(0);
const argsWith = (at: number, ...values: number[]) => [...Array<number>(at).fill(0o7777), ...values];

test("no program is made that runs with the rights of its user or group, by any call with a mode", () => {
	for (const [arch, calls] of modes)
		for (const [name, [nr, at]] of Object.entries(calls)) {
			const to = (mode: number, shares?: boolean) =>
				answerTo(filterOf(arch, shares), { arch, nr, args: argsWith(at, mode) });
			expect([name, to(0o4755), to(0o2755), to(0o102755), to(0o1777)]).toEqual([name, EPERM, EPERM, EPERM, ALLOW]);
			expect([name, to(0o4755, true), to(0o6755, true), to(0o2775, true)]).toEqual([name, EPERM, EPERM, ALLOW]);
		}
});

test.each([
	["open", X64, 2, 1],
	["openat", X64, 257, 2],
	["open of 32 bits", I386, 5, 1],
	["openat of 32 bits", I386, 295, 2],
	["openat on arm64", ARM64, 56, 2],
	["open on arm", ARM, 5, 1],
	["openat on arm", ARM, 322, 2],
])("%s makes no such program either, and its mode counts only where a file is made", (_, arch, nr, at) => {
	const [O_CREAT, O_TMPFILE] = [0o100, 0o20000000];
	const to = (flags: number, mode: number) =>
		answerTo(filterOf(arch, true), { arch, nr, args: argsWith(at, flags, mode) });
	expect([to(O_CREAT | 1, 0o4755), to(O_TMPFILE | 2, 0o2755)]).toEqual([EPERM, EPERM]);
	expect([to(O_CREAT | 1, 0o755), to(0, 0o4755), to(0o200000, 0o2755)]).toEqual([ALLOW, ALLOW, ALLOW]);
});

test("no file capability is set, which has one of two sizes; calls that hide their arguments are not there", () => {
	const attributes = [
		[X64, 188],
		[X64, 189],
		[X64, 190],
		[I386, 227],
		[ARM64, 6],
		[ARM, 228],
	] as const;
	for (const [arch, nr] of attributes) {
		const to = (size: number) => answerTo(filterOf(arch), { arch, nr, args: [0, 0, 0, size, 0] });
		expect([to(20), to(24), to(12), to(28), to(0)]).toEqual([EOPNOTSUPP, EOPNOTSUPP, ALLOW, ALLOW, ALLOW]);
	}
	for (const arch of [X64, I386, ARM64, ARM])
		expect([437, 463].map((nr) => answerTo(filterOf(arch), { arch, nr }))).toEqual([ENOSYS, ENOSYS]);
});

test("there is one for arm64, and none for what is not known", () => {
	expect(answerTo(seccompFilter("arm64") ?? Buffer.alloc(0), { arch: ARM64, nr: 219 })).toBe(ENOSYS);
	expect(seccompFilter("riscv64")).toBeUndefined();
});
