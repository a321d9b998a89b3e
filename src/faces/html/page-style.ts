/** How a page looks, in light and in dark. It is the only style that the page's own policy lets a browser take. */
import { createHash } from "node:crypto";
import { BAR_PHASES } from "./agent-lists.ts";

const levels = (rem: number, of: string) =>
	Array.from(
		{ length: 13 },
		(_, level) => `.level${level}${of}{padding-left:${Math.round(level * rem * 10) / 10 + 0.4}rem}`,
	).join("");

export const PAGE_STYLE = `
:root{color-scheme:light dark;--back:#fff;--fore:#1b1f24;--dim:#59636e;--line:#d1d9e0;--box:#f6f8fa;--good:#1a7f37;--bad:#cf222e;
--link:#0969da;--thinking:#8250df;--asking:#bf3989;--listening:#c8e1ff;--running:#1a7f37;--waiting:#afb8c1;--queued:#eac54f;--retrying:#cf222e;--paused:#1b1f24;--message:#0969da}
@media (prefers-color-scheme:dark){:root{--back:#0d1117;--fore:#e6edf3;--dim:#9198a1;--line:#3d444d;--box:#151b23;--good:#3fb950;
--bad:#f85149;--link:#4493f8;--thinking:#a371f7;--asking:#db61a2;--listening:#264f78;--running:#3fb950;--waiting:#545d68;--queued:#bb8009;--retrying:#f85149;--paused:#e6edf3;--message:#4493f8}}
body{--answered:var(--good);--stopped:var(--dim);--failed:var(--bad)}
*{box-sizing:border-box}
body{margin:0 auto;padding:1rem 1.5rem 4rem;max-width:88rem;background:var(--back);color:var(--fore);font:15px/1.5 system-ui,sans-serif}
h1{font-size:1.4rem;overflow-wrap:anywhere}h2{font-size:1.1rem;margin:2rem 0 .5rem}h4{margin:1.2rem 0 .3rem;font-size:1rem}
a{color:var(--link)}small,time,.facts,dt{color:var(--dim);font-weight:normal}
pre{margin:.2rem 0;white-space:pre-wrap;overflow-wrap:anywhere;unicode-bidi:plaintext;font:13px/1.45 ui-monospace,monospace}
h1,td,summary,.row>span,.note,.facts{unicode-bidi:isolate}
dl.facts{display:grid;grid-template-columns:repeat(auto-fill,minmax(20rem,1fr));gap:.2rem 2rem;margin:0 0 1rem}
dl.facts div{display:flex;gap:.8rem}dt{min-width:4rem}dd{margin:0;color:var(--fore);overflow-wrap:anywhere}
.alive{padding:.4rem .8rem;border-left:4px solid var(--queued);background:var(--box)}
.good{color:var(--good)}.bad{color:var(--bad)}.busy{color:var(--link)}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%}
th{text-align:left;color:var(--dim);font-weight:normal}td,th{padding:.1rem .6rem;border-bottom:1px solid var(--line);vertical-align:top}
td:nth-child(n+3),th:nth-child(n+3){text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
td:first-child{width:42%}.unit{display:none}
${levels(1.2, " td:first-child")}
.bars{min-width:40rem}.row{display:grid;grid-template-columns:16rem 1fr;gap:.8rem;align-items:center}
.row>span{white-space:nowrap;overflow:hidden;text-overflow:ellipsis;font-size:13px}
.row svg{width:100%;height:.8rem;background:var(--box)}.axis,.legend{color:var(--dim);font-size:12px}
.ticks{display:grid;grid-template-columns:repeat(4,1fr)}.ticks i{font-style:normal}.ticks span{border-left:1px solid var(--line);padding-left:.3rem}
.legend span{margin-right:1rem;white-space:nowrap}.key{display:inline-block;width:.8rem;height:.8rem;vertical-align:-.1rem}
${[...BAR_PHASES, "message"].map((kind) => `rect.${kind}{fill:var(--${kind})}.key.${kind}{background:var(--${kind})}`).join("")}
summary{cursor:pointer;overflow-wrap:anywhere}details.agent{border-top:1px solid var(--line);padding:.3rem 0}
details.agent>div{margin:.3rem 0 2rem 1rem}details.agent .facts{font-size:13px}div:target{scroll-margin-top:3.5rem;outline:2px solid var(--link);outline-offset:.4rem}
blockquote{margin:.5rem 0;padding:.1rem .8rem;border-left:4px solid var(--line)}
.answer pre,.task pre,pre.output,.thinking pre,details.note pre{padding:.5rem .8rem;background:var(--box);border-radius:6px}
.answer pre,.task pre{max-height:28rem;overflow:auto}
.command{margin:.6rem 0;padding-left:.8rem;border-left:2px solid var(--line)}pre.call{font-weight:bold}pre.call::before{content:"$ ";color:var(--dim)}
.command .facts{margin:.1rem 0;font-size:13px}.note{color:var(--dim);margin:.3rem 0;font-size:13px;overflow-wrap:anywhere}.cut{color:var(--dim)}
.end{font-weight:bold}
@media (max-width:48rem){body{padding:.8rem .9rem 3rem}dl.facts{grid-template-columns:1fr}thead,.ticks i,.axis>span{display:none}
tr{display:flex;flex-wrap:wrap;column-gap:.8rem;align-items:baseline;padding:.35rem 0;border-bottom:1px solid var(--line)}
tr td,tr[class] td:first-child{border:0;padding:0;width:auto;max-width:100%;overflow-wrap:anywhere}tr td:first-child{flex:0 0 100%}
td:nth-child(n+3){color:var(--dim);font-size:13px}.unit{display:inline}${levels(0.6, "")}
.bars{min-width:0}.row{grid-template-columns:1fr;gap:.1rem;margin-bottom:.35rem}details.agent>div{margin-left:.2rem}}
@media print{details.agent{break-inside:auto}}
`;

/** Nothing is loaded from anywhere, nothing is run, nothing is sent. */
export const PAGE_POLICY = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(PAGE_STYLE).digest("base64")}'; base-uri 'none'; form-action 'none'`;
