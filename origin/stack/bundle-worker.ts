import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import type { Metafile } from 'esbuild'
import { listedFiles } from '../../shared/packaging/checksums.ts'
import { type Built, checksumsPath } from '../../shared/packaging/rebuild-stale.ts'
import { buildWithWrangler } from '../../shared/packaging/run-wrangler.ts'

type Wrangler = typeof import('wrangler')

/** A Worker that can be served without wrangler. */
export type WorkerBundle = {
  script: string
  /** Compiled modules that the script imports, in base64, by their paths. */
  wasm: Record<string, string>
  workerOptions: { bindings?: object; compatibilityDate?: string; d1Databases?: object }
  migrations: { name: string; statements: string[] }[]
}

/** @param config path of a wrangler configuration */
export async function bundleWorker(root: string, config: string): Promise<Built> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-worker-'))
  try {
    const metafile = join(folder, 'metafile.json')
    const building = buildWithWrangler(root, [
      '--config',
      config,
      '--outdir',
      folder,
      '--metafile',
      metafile,
    ])
    // Imported here, because a bundle would import it at its start.
    const [wrangler] = await Promise.all([import('wrangler'), building])
    const { inputs, outputs } = JSON.parse(readFileSync(metafile, 'utf8')) as Metafile
    const absolute = (path: string) => resolve(dirname(config), path)
    const script = Object.keys(outputs).find((path) => path.endsWith('.js'))!
    const sources = Object.keys(inputs)
      .map(absolute)
      // Omits the modules that wrangler generates.
      .filter((path) => existsSync(path))
    const migrationFolder = join(root, 'drizzle', 'edge')
    const migrations = migrationFiles(migrationFolder)
    const bundle: WorkerBundle = {
      script: await inlineTexts(absolute(script)),
      wasm: wasmModules(folder),
      workerOptions: workerOptions(wrangler, config),
      migrations: migrations.map(({ name, path }) => ({
        name,
        statements: wrangler.unstable_splitSqlQuery(readFileSync(path, 'utf8')),
      })),
    }
    const files = [
      config,
      ...sources,
      join(migrationFolder, 'meta', '_journal.json'),
      ...migrations.map(({ path }) => path),
    ]
    return {
      text: JSON.stringify(bundle),
      inputs: [
        ...new Set([
          ...files.map((path) => relative(root, path)),
          ...sources.flatMap((path) => textInputs(root, path)),
        ]),
      ],
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Turns the Worker's 150 text modules into strings of the script. Miniflare copies its whole configuration once for
 * each module, which takes a second of CPU time.
 */
async function inlineTexts(script: string): Promise<string> {
  const { build } = await import('esbuild')
  const { outputFiles } = await build({
    entryPoints: [script],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'esnext',
    external: ['cloudflare:*', '*.wasm'],
    loader: { '.md': 'text', '.sql': 'text', '.txt': 'text' },
    charset: 'utf8',
    logLevel: 'silent',
  })
  return outputFiles[0]!.text
}

function wasmModules(folder: string): Record<string, string> {
  const files = readdirSync(folder).filter((file) => file.endsWith('.wasm'))
  return Object.fromEntries(
    files.map((file) => [file, readFileSync(join(folder, file)).toString('base64')]),
  )
}

/** Omits variables of `.dev.vars`, which are secrets and are not among the inputs, and absolute paths. */
function workerOptions(
  { unstable_getMiniflareWorkerOptions: optionsOf, unstable_readConfig: readConfig }: Wrangler,
  config: string,
): WorkerBundle['workerOptions'] {
  const { rootPath: _, ...options } = optionsOf(config).workerOptions
  return { ...options, bindings: readConfig({ config }).vars }
}

/**
 * Returns the text modules that a module imports. Wrangler's metafile does not list them. A page script is replaced by
 * its own inputs, because wrangler builds it.
 */
function textInputs(root: string, source: string): string[] {
  if (source.includes('/node_modules/')) return []
  const imports = readFileSync(source, 'utf8').matchAll(/['"](\.\.?\/[^'"]+\.(?:md|sql|txt))['"]/g)
  return [...imports].flatMap(([, specifier]) => {
    const path = resolve(dirname(source), specifier!)
    const list = checksumsPath(path)
    return existsSync(list) ? listedFiles(list).slice(1) : [relative(root, path)]
  })
}

function migrationFiles(folder: string): { name: string; path: string }[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.sql'))
  return files.toSorted().map((name) => ({ name, path: join(folder, name) }))
}
