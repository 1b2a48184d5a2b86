/** Passes each kind of input that the declarations of the web APIs accept. */
import { defineAction } from '@svc-run/cli/action'

export default defineAction(async ({ server }: { server: string }) => ({
  data: data(),
  urls: urls(),
  cancellation: await cancellation(),
  requests: await requests(server),
  signatures: await signatures(),
}))

function data() {
  const bytes = new TextEncoder().encode('ü')
  const { read, written } = new TextEncoder().encodeInto('ü', new Uint8Array(1))
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const { buffer } = structuredClone(bytes, { transfer: [bytes.buffer] })
  const texts = [
    decoder.decode(buffer, { stream: true }),
    decoder.decode(new DataView(buffer)),
    decoder.decode(),
  ]
  const random = [new Int8Array(1), new BigUint64Array(1), new Uint8ClampedArray(1)]
  for (const array of random) crypto.getRandomValues(array)
  const error = new DOMException('late', { name: 'AbortError', cause: 1 })
  console.assert(false, 'shown')
  return {
    texts,
    encoded: [read, written, atob(btoa('a'))],
    error: [error.name, error.code, new DOMException('', 'DataError').DATA_CLONE_ERR],
    time: typeof (performance.now() + performance.timeOrigin + performance.toJSON().timeOrigin),
  }
}

function urls() {
  const fromMap = new URLSearchParams(new Map([['a', '1']]))
  const all = [fromMap, new URLSearchParams({ b: '2' }), new URLSearchParams([['c', '3']] as const)]
  const url = new URL('x', new URL('https://example.com'))
  for (const params of [...all, new URLSearchParams(fromMap)])
    for (const [name, value] of params) url.searchParams.append(name, value)
  url.searchParams.delete('a', '1')
  const { size } = url.searchParams
  return {
    href: url.toString(),
    size,
    has: url.searchParams.has('b', '3'),
    keys: [...url.searchParams.keys(), ...url.searchParams.values()].join(),
    parsed: [URL.canParse(url, url), URL.parse('//', 'x:')],
  }
}

async function cancellation() {
  const seen: string[] = []
  const controller = new AbortController()
  const target = new EventTarget()
  const { signal } = controller
  target.addEventListener(
    'a',
    { handleEvent: ({ type }) => seen.push(type) },
    { once: true, signal },
  )
  target.addEventListener('a', ({ cancelable }) => seen.push(String(cancelable)), true)
  target.dispatchEvent(new Event('a', { cancelable: true }))
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the property is declared
  signal.onabort = ({ type }) => seen.push(type)
  const joined = AbortSignal.any(new Set([signal, AbortSignal.timeout(60_000)]))
  controller.abort('why')
  await new Promise<string>((resolve) => setTimeout(resolve, 1, 'late')).then((word) =>
    seen.push(word),
  )
  const interval = setInterval(() => {}, 1)
  clearInterval(interval)
  queueMicrotask(() => seen.push('soon'))
  await Promise.resolve()
  return { seen, reason: joined.reason as unknown, aborted: AbortSignal.abort().aborted }
}

async function requests(server: string) {
  const { signal } = new AbortController()
  const headers = [
    new Headers({ a: '1' }),
    { a: '1' },
    new Map([['a', '1']]),
    [['a', '1']] as const,
  ]
  const bodies = ['1', new URLSearchParams('1='), new Uint8Array([49]), new Uint8Array([49]).buffer]
  const texts: string[] = []
  for (const [at, body] of bodies.entries()) {
    const init = { method: 'POST', headers: headers[at]!, body, signal, redirect: 'error' } as const
    texts.push(await (await fetch(new Request(server, init))).text())
  }
  const response = await fetch(new URL(server), { body: null, signal: null })
  const copy = response.clone()
  const made = Response.json({ a: 1 }, { status: 201, headers: new Headers() })
  return {
    texts,
    body: [response.body, response.type, response.ok, (await copy.bytes()).length],
    length: (await response.arrayBuffer()).byteLength,
    made: [made.status, await made.json(), Response.error().type],
    redirect: Response.redirect('https://example.com', 301).headers.get('location'),
    text: await new Response(new DataView(new ArrayBuffer(1)), { statusText: 'OK' }).text(),
  }
}

async function signatures() {
  const bytes = new Uint8Array(32).fill(1)
  const digest = await crypto.subtle.digest({ name: 'SHA-1' }, bytes.buffer)
  const hmac = await crypto.subtle.importKey(
    'raw',
    bytes,
    { name: 'HMAC', hash: { name: 'SHA-512' }, length: 256 },
    false,
    new Set(['sign', 'verify'] as const),
  )
  const mac = await crypto.subtle.sign({ name: 'HMAC' }, hmac, new DataView(bytes.buffer))
  const ed25519 = await crypto.subtle.importKey(
    'jwk',
    { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' },
    'Ed25519',
    true,
    ['verify'],
  )
  const ecdsa = await crypto.subtle.importKey(
    'jwk',
    {
      kty: 'EC',
      crv: 'P-256',
      x: 'YP7UuiVanTHJYet0xjVtaMBJuJI7Yfps5mliLmDyn7Y',
      y: 'eQP-EAi4vJmkGunpVii8ZPLxsgwtfp9Rd6PClNRGIpk',
    },
    { name: 'ECDSA', namedCurve: 'P-256' },
    true,
    ['verify'],
  )
  const algorithm = { name: 'ECDSA', hash: 'SHA-256' } as const
  return {
    digest: digest.byteLength,
    isMac: await crypto.subtle.verify('HMAC', hmac, mac, bytes),
    keys: [hmac.algorithm, ed25519.algorithm, ecdsa.algorithm],
    isKey: hmac instanceof CryptoKey && hmac.usages.includes('sign'),
    forged: [
      await crypto.subtle.verify('Ed25519', ed25519, new Uint8Array(64), bytes),
      await crypto.subtle.verify(algorithm, ecdsa, new Uint8Array(64), bytes),
    ],
  }
}
