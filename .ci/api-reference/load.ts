import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { coreOpenApiDocument } from '../../origin/http/openapi/document.ts'
import { operations } from '../../origin/http/operations.ts'
import type { OpenApiDocument } from '../../shared/openapi/document.ts'

/** Does not appear on any page, because pages use `{base_url}` instead. */
const ANYWHERE = 'https://service.invalid'

export const coreDocument = () => coreOpenApiDocument(operations, ANYWHERE)

/** Bundles the edge's modules first, because they import text files and JSX, which Node cannot load. */
export async function triggerDocument(): Promise<OpenApiDocument> {
  const result = await build({
    entryPoints: [fileURLToPath(new URL('../../edge/http/openapi/document.ts', import.meta.url))],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    loader: { '.md': 'text', '.txt': 'text', '.wasm': 'empty' },
    external: ['cloudflare:*'],
    jsx: 'automatic',
    jsxImportSource: 'hono/jsx',
    logLevel: 'silent',
  })
  const folder = await mkdtemp(join(tmpdir(), 'svc-openapi-'))
  try {
    const file = join(folder, 'document.mjs')
    await writeFile(file, result.outputFiles[0]!.text)
    const made = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as {
      openApiDocument: (publicUrl: string) => OpenApiDocument
    }
    return made.openApiDocument(ANYWHERE)
  } finally {
    await rm(folder, { recursive: true })
  }
}
