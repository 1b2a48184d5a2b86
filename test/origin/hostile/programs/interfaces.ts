import { native, returns, throws } from '../program.ts'

/** Web interfaces with inputs that are too large, too deep or misleading. */
export const interfaces = [
  throws('a URL of 20 MB', "new URL('http://a/' + 'x'.repeat(2e7))", /URL|memory/i),
  native('URLs without end', "for (;;) new URL('http://a/' + 'x'.repeat(1e5))"),
  native('a query of three million pairs', "return new URLSearchParams('a=b&'.repeat(3e6)).size", {
    finite: true,
  }),
  native(
    'a query that is sorted without end',
    "const q = new URLSearchParams('b=1&a=2&'.repeat(1e4)); for (;;) q.sort()",
  ),
  native(
    'a query that is lengthened while it is walked',
    "const q = new URLSearchParams('a=1'); for (const [k] of q) q.append(k, 'x')",
    { wallMs: 1_000 },
  ),
  native(
    'headers that are lengthened while they are walked',
    "const h = new Headers({ a: '1' }); let n = 0; for (const [k] of h) h.append('x' + n++, 'y')",
    { wallMs: 1_000, finite: true },
  ),
  native(
    'headers by the hundred thousand',
    "const h = new Headers(); for (let i = 0; ; i++) h.append('x' + i, 'y'.repeat(100))",
    { wallMs: 1_000 },
  ),
  native(
    'a clone of a graph that grows',
    'let n = 0; const grow = () => ({ get a() { return grow() } }); return structuredClone(grow())',
    { wallMs: 1_000 },
  ),
  native(
    'clones without end',
    'const all = []; for (let a = { x: 1 }; ; ) all.push(structuredClone(a))',
    { wallMs: 2_000 },
  ),
  native(
    'a clone of 100,000 levels',
    'let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return structuredClone(a)',
  ),
  native('a clone of 2 ** 32 - 1 holes', 'return structuredClone(new Array(2 ** 32 - 1)).length', {
    finite: true,
  }),
  native(
    'digests without end',
    "const a = new Uint8Array(1e6); for (;;) await crypto.subtle.digest('SHA-512', a)",
  ),
  native(
    'texts that are decoded without end',
    'const a = new Uint8Array(1e6); const d = new TextDecoder(); for (;;) d.decode(a)',
  ),
  native(
    'a stream of text that never ends',
    'const d = new TextDecoder(); const all = []; for (;;) all.push(d.decode(new Uint8Array([0xf0, 0x9f]), { stream: true }))',
    { wallMs: 2_000 },
  ),
  native(
    'jobs by queueMicrotask',
    'const f = () => queueMicrotask(f); f(); await new Promise(() => {})',
  ),
  native('an interval of nothing', 'setInterval(() => {}, 0); await new Promise(() => {})'),
  native(
    'an interval that does not return',
    'setInterval(() => { for (;;); }, 0); await new Promise(() => {})',
  ),
  native(
    'signals that abort each other',
    'const a = new AbortController(), b = new AbortController(); a.signal.onabort = () => b.abort(); b.signal.onabort = () => { for (;;); }; a.abort()',
  ),
  native(
    'a signal of ten thousand listeners',
    "const a = new AbortController(); for (let i = 0; ; i++) a.signal.addEventListener('abort', () => i)",
    { wallMs: 1_000 },
  ),
  native(
    'any of signals without end',
    'let s = AbortSignal.abort(); for (;;) s = AbortSignal.any([s, s])',
  ),
  native(
    'a time-out far away',
    'const s = AbortSignal.timeout(2 ** 53 - 1); await new Promise((done) => { s.onabort = done })',
  ),
  throws(
    'an error in queueMicrotask',
    "queueMicrotask(() => { throw new Error('mine') }); await new Promise((done) => setTimeout(done, 30))",
    /^mine$/,
  ),
  throws('a clone of a function', 'structuredClone(() => 1)', /clone/i),
  throws(
    'a clone whose getter throws',
    "structuredClone({ get a() { throw new Error('mine') } })",
    /mine/,
  ),
  throws('a header with a line end', "new Headers({ a: 'x\\r\\ny: z' })", /header/i),
  throws('a header name with a line end', "new Headers({ 'a\\r\\nb': 'x' })", /header/i),
  throws('a digest that is none', "await crypto.subtle.digest('MD5', new Uint8Array(1))", /./),
  returns(
    'ids that are random',
    'const all = new Set(); for (let i = 0; i < 1000; i++) all.add(crypto.randomUUID()); return all.size',
    1000,
  ),
  returns(
    'a clock that does not go back',
    'let last = 0; for (let i = 0; i < 1000; i++) { const now = performance.now(); if (now < last) return now - last; last = now } return 0',
    0,
  ),
  returns(
    'a URL whose parts are hostile',
    "const u = new URL('http://a/'); for (const p of ['href', 'host', 'port', 'hash', 'search', 'username', 'protocol']) try { u[p] = { toString() { throw 1 } } } catch {} return u.href",
    'http://a/',
  ),
]
