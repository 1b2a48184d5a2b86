import { readBoundedBody } from '../../network/bounded-body.ts'
import type { ResolvedDeployment } from '../cli.ts'
import { ToolRejectedError } from './tool-failure.ts'

/** Maximum size of the agents' guide, which has only a few pages. */
const DOCUMENT_MAX_BYTES = 256 * 1024

/** Fetches a public document without credentials. @throws {ToolRejectedError} if the request fails */
export async function fetchDocument(
  { triggersUrl, fetch }: Pick<ResolvedDeployment, 'triggersUrl' | 'fetch'>,
  path: string,
  signal: AbortSignal,
): Promise<string> {
  const response = await fetch(triggersUrl + path, { signal, redirect: 'error' })
  const body = response.ok ? await readBoundedBody(response, DOCUMENT_MAX_BYTES) : undefined
  if (body) return new TextDecoder().decode(body)
  await response.body?.cancel()
  throw new ToolRejectedError(
    'no_document',
    `${path}: the server responded with ${response.status}`,
    'Use the tools without it.',
  )
}
