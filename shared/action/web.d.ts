/**
 * Web APIs of the sandbox (docs/actions.md#what-there-is). They follow the web's standards, and have only what the sandbox
 * has. A test compares each declaration with the sandbox.
 */

// Features of the language that the engine has in addition to ES2023.
/// <reference lib="es2024.arraybuffer" />
/// <reference lib="es2024.collection" />
/// <reference lib="es2024.object" />
/// <reference lib="es2024.promise" />
/// <reference lib="es2024.regexp" />
/// <reference lib="es2024.string" />
/// <reference lib="esnext.collection" />
/// <reference lib="esnext.error" />
/// <reference lib="esnext.float16" />
/// <reference lib="esnext.iterator" />
/// <reference lib="esnext.promise" />

/** An error of the engine, such as exhausted memory. */
interface InternalError extends Error {}
declare var InternalError: ErrorConstructor & {
  new (message?: string, options?: ErrorOptions): InternalError
}

// Console and timers

/** The output is recorded with the run. */
interface Console {
  log(...values: unknown[]): void
  info(...values: unknown[]): void
  warn(...values: unknown[]): void
  error(...values: unknown[]): void
  debug(...values: unknown[]): void
  dir(value: unknown): void
  assert(condition?: unknown, ...values: unknown[]): void
  trace(...values: unknown[]): void
}
declare var console: Readonly<Console>

/** At most 1,000 timers at once. */
declare function setTimeout<Args extends unknown[]>(
  callback: (...args: Args) => void,
  delay?: number,
  ...args: Args
): number
declare function setInterval<Args extends unknown[]>(
  callback: (...args: Args) => void,
  delay?: number,
  ...args: Args
): number
declare function clearTimeout(id?: number): void
declare function clearInterval(id?: number): void
declare function queueMicrotask(callback: () => void): void

/** Times are in milliseconds since the start of the run. */
interface Performance {
  readonly timeOrigin: number
  now(): number
  toJSON(): { timeOrigin: number }
}
declare var Performance: abstract new () => Performance
declare var performance: Performance

// Data

interface StructuredCloneOptions {
  transfer?: Iterable<ArrayBuffer>
}
declare function structuredClone<T>(value: T, options?: StructuredCloneOptions): T

declare function atob(data: string): string
declare function btoa(data: string): string

interface TextEncoder {
  readonly encoding: string
  encode(input?: string): Uint8Array<ArrayBuffer>
  encodeInto(source: string, destination: Uint8Array): { read: number; written: number }
}
declare var TextEncoder: { prototype: TextEncoder; new (): TextEncoder }

interface TextDecoderOptions {
  fatal?: boolean
  ignoreBOM?: boolean
}
interface TextDecoder {
  readonly encoding: string
  readonly fatal: boolean
  readonly ignoreBOM: boolean
  decode(input?: BufferSource, options?: { stream?: boolean }): string
}
declare var TextDecoder: {
  prototype: TextDecoder
  new (label?: string, options?: TextDecoderOptions): TextDecoder
}

/** Views need no narrower type: the sandbox has no `SharedArrayBuffer`. */
type BufferSource = ArrayBuffer | ArrayBufferView

// Events and cancellation

interface DOMException extends Error {
  readonly name: string
  readonly message: string
  readonly code: number
  readonly [constant: `${string}_ERR`]: number
}
declare var DOMException: {
  prototype: DOMException
  new (message?: string, options?: string | { name?: string; cause?: unknown }): DOMException
  readonly [constant: `${string}_ERR`]: number
}

interface EventInit {
  bubbles?: boolean
  cancelable?: boolean
  composed?: boolean
}
interface Event {
  readonly type: string
  readonly target: EventTarget | null
  readonly currentTarget: EventTarget | null
  readonly eventPhase: number
  readonly bubbles: boolean
  readonly cancelable: boolean
  readonly composed: boolean
  readonly defaultPrevented: boolean
  readonly timeStamp: number
  preventDefault(): void
  stopPropagation(): void
  stopImmediatePropagation(): void
}
declare var Event: { prototype: Event; new (type: string, options?: EventInit): Event }

type EventListener = ((event: Event) => void) | { handleEvent(event: Event): void }
interface EventListenerOptions {
  capture?: boolean
}
interface AddEventListenerOptions extends EventListenerOptions {
  once?: boolean
  signal?: AbortSignal
}
interface EventTarget {
  addEventListener(
    type: string,
    callback: EventListener | null,
    options?: AddEventListenerOptions | boolean,
  ): void
  removeEventListener(
    type: string,
    callback: EventListener | null,
    options?: EventListenerOptions | boolean,
  ): void
  dispatchEvent(event: Event): boolean
}
declare var EventTarget: { prototype: EventTarget; new (): EventTarget }

interface AbortSignal extends EventTarget {
  readonly aborted: boolean
  readonly reason: any
  onabort: ((this: AbortSignal, event: Event) => void) | null
  throwIfAborted(): void
}
declare var AbortSignal: (abstract new () => AbortSignal) & {
  abort(reason?: unknown): AbortSignal
  any(signals: Iterable<AbortSignal>): AbortSignal
  timeout(milliseconds: number): AbortSignal
}

interface AbortController {
  readonly signal: AbortSignal
  abort(reason?: unknown): void
}
declare var AbortController: { prototype: AbortController; new (): AbortController }

// URLs

interface URLSearchParams extends Iterable<[string, string]> {
  readonly size: number
  append(name: string, value: string): void
  delete(name: string, value?: string): void
  get(name: string): string | null
  getAll(name: string): string[]
  has(name: string, value?: string): boolean
  set(name: string, value: string): void
  sort(): void
  toString(): string
  entries(): IteratorObject<[string, string], undefined>
  keys(): IteratorObject<string, undefined>
  values(): IteratorObject<string, undefined>
  forEach(
    callback: (value: string, name: string, params: URLSearchParams) => void,
    thisArg?: unknown,
  ): void
  [Symbol.iterator](): IteratorObject<[string, string], undefined>
}
declare var URLSearchParams: {
  prototype: URLSearchParams
  new (
    init?: Iterable<readonly [string, string]> | Record<string, string> | string | URLSearchParams,
  ): URLSearchParams
}

interface URL {
  href: string
  readonly origin: string
  protocol: string
  username: string
  password: string
  host: string
  hostname: string
  port: string
  pathname: string
  search: string
  hash: string
  readonly searchParams: URLSearchParams
  toString(): string
  toJSON(): string
}
declare var URL: {
  prototype: URL
  new (url: string | URL, base?: string | URL): URL
  canParse(url: string | URL, base?: string | URL): boolean
  parse(url: string | URL, base?: string | URL): URL | null
}

// Requests (docs/actions.md#fetch)

type HeadersInit = Headers | Iterable<readonly [string, string]> | Record<string, string>
interface Headers extends Iterable<[string, string]> {
  append(name: string, value: string): void
  delete(name: string): void
  get(name: string): string | null
  getSetCookie(): string[]
  has(name: string): boolean
  set(name: string, value: string): void
  entries(): IteratorObject<[string, string], undefined>
  keys(): IteratorObject<string, undefined>
  values(): IteratorObject<string, undefined>
  forEach(
    callback: (value: string, name: string, headers: Headers) => void,
    thisArg?: unknown,
  ): void
  [Symbol.iterator](): IteratorObject<[string, string], undefined>
}
declare var Headers: { prototype: Headers; new (init?: HeadersInit): Headers }

type BodyInit = string | URLSearchParams | BufferSource
interface Body {
  /** Null, because bodies are not streamed. */
  readonly body: null
  readonly bodyUsed: boolean
  arrayBuffer(): Promise<ArrayBuffer>
  bytes(): Promise<Uint8Array<ArrayBuffer>>
  json(): Promise<any>
  text(): Promise<string>
}

type RequestInfo = string | URL | Request
type RequestRedirect = 'follow' | 'error' | 'manual'
interface RequestInit {
  method?: string
  headers?: HeadersInit
  body?: BodyInit | null
  redirect?: RequestRedirect
  signal?: AbortSignal | null
}
interface Request extends Body {
  readonly method: string
  readonly url: string
  readonly headers: Headers
  readonly redirect: RequestRedirect
  readonly signal: AbortSignal
  clone(): Request
}
declare var Request: {
  prototype: Request
  new (input: RequestInfo, options?: RequestInit): Request
}

interface ResponseInit {
  status?: number
  statusText?: string
  headers?: HeadersInit
}
interface Response extends Body {
  readonly type: 'basic' | 'default' | 'error'
  readonly url: string
  readonly redirected: boolean
  readonly status: number
  readonly ok: boolean
  readonly statusText: string
  readonly headers: Headers
  clone(): Response
}
declare var Response: {
  prototype: Response
  new (body?: BodyInit | null, options?: ResponseInit): Response
  error(): Response
  json(data: unknown, options?: ResponseInit): Response
  redirect(url: string | URL, status?: number): Response
}

/** Requests a public host. A run can make 50 requests, ten at once. */
declare function fetch(input: RequestInfo, options?: RequestInit): Promise<Response>

// Cryptography (docs/actions.md#signatures)

type HashName = 'SHA-1' | 'SHA-256' | 'SHA-384' | 'SHA-512'
type HashAlgorithm = HashName | { name: HashName }
type SigningAlgorithmName = 'HMAC' | 'Ed25519' | 'ECDSA' | 'RSASSA-PKCS1-v1_5' | 'RSA-PSS'

type ImportedKeyAlgorithm =
  | 'Ed25519'
  | { name: 'Ed25519' }
  | { name: 'HMAC'; hash: HashAlgorithm; length?: number }
  | { name: 'ECDSA'; namedCurve: 'P-256' | 'P-384' }
  | { name: 'RSASSA-PKCS1-v1_5' | 'RSA-PSS'; hash: HashAlgorithm }

type SignatureAlgorithm =
  | 'HMAC'
  | 'Ed25519'
  | 'RSASSA-PKCS1-v1_5'
  | { name: 'HMAC' | 'Ed25519' | 'RSASSA-PKCS1-v1_5' }
  | { name: 'ECDSA'; hash: HashAlgorithm }
  | { name: 'RSA-PSS'; saltLength: number }

/** A key in JSON (RFC 7517). */
interface JsonWebKey {
  kty?: string
  crv?: string
  alg?: string
  use?: string
  key_ops?: string[]
  ext?: boolean
  d?: string
  dp?: string
  dq?: string
  e?: string
  k?: string
  n?: string
  p?: string
  q?: string
  qi?: string
  x?: string
  y?: string
}

type KeyUsage = 'sign' | 'verify'

/** Exists only within its run. */
interface CryptoKey {
  readonly type: 'secret' | 'public' | 'private'
  readonly extractable: boolean
  readonly algorithm: {
    name: SigningAlgorithmName
    hash?: { name: HashName }
    length?: number
    namedCurve?: string
    modulusLength?: number
    publicExponent?: Uint8Array<ArrayBuffer>
  }
  readonly usages: KeyUsage[]
}
declare var CryptoKey: abstract new () => CryptoKey

interface SubtleCrypto {
  digest(algorithm: HashAlgorithm, data: BufferSource): Promise<ArrayBuffer>
  importKey(
    format: 'jwk',
    key: JsonWebKey,
    algorithm: ImportedKeyAlgorithm,
    extractable: boolean,
    usages: Iterable<KeyUsage>,
  ): Promise<CryptoKey>
  importKey(
    format: 'raw' | 'spki' | 'pkcs8',
    key: BufferSource,
    algorithm: ImportedKeyAlgorithm,
    extractable: boolean,
    usages: Iterable<KeyUsage>,
  ): Promise<CryptoKey>
  sign(algorithm: SignatureAlgorithm, key: CryptoKey, data: BufferSource): Promise<ArrayBuffer>
  verify(
    algorithm: SignatureAlgorithm,
    key: CryptoKey,
    signature: BufferSource,
    data: BufferSource,
  ): Promise<boolean>
}

interface Crypto {
  /** At most 65,536 bytes a call. */
  getRandomValues<
    T extends
      | Int8Array
      | Uint8Array
      | Uint8ClampedArray
      | Int16Array
      | Uint16Array
      | Int32Array
      | Uint32Array
      | BigInt64Array
      | BigUint64Array,
  >(
    array: T,
  ): T
  randomUUID(): `${string}-${string}-${string}-${string}-${string}`
  readonly subtle: Readonly<SubtleCrypto>
}
declare var crypto: Readonly<Crypto>
