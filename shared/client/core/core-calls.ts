import { LIST_PAGE_MAX } from '../../limits.ts'
import { type Listing, listing } from './listing.ts'
import { NotTheApi } from '../failures/transport-errors.ts'
import { abortable } from '../abortable.ts'
import type { CallOptions } from '../options.ts'
import type { Credential, Requester } from '../request.ts'

/** Query parameters. Undefined parameters are omitted. */
type Query = Record<string, string | number | undefined> & { page_size?: number }

export type CoreCalls = {
  /** Sends a GET request. @param path path below `/core/v1/` */
  read<Body>(this: void, path: string, query?: Query, options?: CallOptions): Promise<Body>
  list<Item>(this: void, path: string, query?: Query, options?: CallOptions): Listing<Item>
  csv(this: void, path: string, query?: Query, options?: CallOptions): Promise<string>
  /** Sends a POST request that only reads. */
  ask<Body>(this: void, path: string, json: object, options?: CallOptions): Promise<Body>
  /** Sends a POST request, which is executed at most once, even if it is retried. */
  write<Body>(this: void, path: string, json: object, options?: CallOptions): Promise<Body>
}

/**
 * Source of the credential for each request. A fixed credential is not enough, because a key can be rotated, and a
 * wallet's proof expires within minutes.
 */
type CredentialSource = () => Credential | Promise<Credential>

export function coreCalls(requester: Requester, credential: CredentialSource): CoreCalls {
  // Obtaining the credential can be aborted, because the owner of a wallet may take minutes to sign, or never respond.
  const resolveCredential = async ({ signal }: CallOptions = {}): Promise<Credential> => {
    signal?.throwIfAborted()
    return abortable(Promise.resolve(credential()), signal)
  }
  const get = async <Body>(path: string, options?: CallOptions) =>
    requester.core<Body>({
      method: 'GET',
      path,
      credential: await resolveCredential(options),
      repeat: 'idempotent',
      options,
    })

  const post = async <Body>(
    repeat: 'idempotent' | 'once',
    path: string,
    json: object,
    options?: CallOptions,
  ) => {
    const question = {
      method: 'POST',
      path: pathOf(path),
      json,
      credential: await resolveCredential(options),
      repeat,
      options,
    } as const
    return (await requester.core<Body>(question)).body
  }

  async function* pages<Item>(path: string, query: Query, options?: CallOptions) {
    const { page_size = LIST_PAGE_MAX } = query
    for (let page = 0; ; page++) {
      const paged = { ...query, page_number: page, page_size }
      const { body, headers, status, requestId } = await get<Item[]>(pathOf(path, paged), options)
      if (!Array.isArray(body)) throw new NotTheApi('not a list', status, requestId)
      yield body
      const total = Number(headers.get('x-total-count') ?? Number.POSITIVE_INFINITY)
      if (body.length < page_size || (page + 1) * page_size >= total) return
    }
  }

  return {
    read: async <Body>(path: string, query: Query = {}, options?: CallOptions) =>
      (await get<Body>(pathOf(path, query), options)).body,
    list: <Item>(path: string, query: Query = {}, options?: CallOptions) =>
      listing(() => pages<Item>(path, query, options)),
    csv: async (path, query = {}, options) => {
      const question = {
        method: 'GET',
        path: pathOf(path, { ...query, format: 'csv' }),
        credential: await resolveCredential(options),
        repeat: 'idempotent',
        wants: 'csv',
        options,
      } as const
      return (await requester.core<string>(question)).body
    },
    ask: <Body>(path: string, json: object, options?: CallOptions) =>
      post<Body>('idempotent', path, json, options),
    write: <Body>(path: string, json: object, options?: CallOptions) =>
      post<Body>('once', path, json, options),
  }
}

/** @param path path below `/core/v1/` */
export async function publicRead<Body>(
  requester: Requester,
  path: string,
  options?: CallOptions,
): Promise<Body> {
  const request = { method: 'GET', path: pathOf(path), repeat: 'idempotent', options } as const
  return (await requester.core<Body>(request)).body
}

function pathOf(path: string, query: Query = {}): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) parameters.set(name, String(value))
  const text = parameters.toString()
  return `/core/v1/${path}${text === '' ? '' : `?${text}`}`
}
