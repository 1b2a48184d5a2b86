/**
 * Builds the Worker with wrangler. No other file imports wrangler, because importing it takes longer than serving a
 * Worker that is already built.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { unstable_getMiniflareWorkerOptions, unstable_splitSqlQuery } from 'wrangler'
import { EDGE_MANIFEST, type EdgeManifest } from './edge-manifest.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * @param config path of a wrangler configuration; by default, the Worker's own configuration
 * @throws {Error} if the build fails; the message contains wrangler's output
 */
export function bundleEdge(outDir: string, config = join(root, 'wrangler.toml')): void {
  mkdirSync(outDir, { recursive: true })
  const wrangler = join(root, 'node_modules', 'wrangler', 'bin', 'wrangler.js')
  const args = [wrangler, 'deploy', '--dry-run', '--config', config, '--outdir', resolve(outDir)]
  const env = {
    ...process.env,
    // The build command in the configuration runs `node`.
    PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
    WRANGLER_SEND_METRICS: 'false',
    CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  }
  try {
    execFileSync(process.execPath, args, { cwd: root, env, stdio: 'pipe', encoding: 'utf8' })
  } catch (error) {
    // Wrangler prints the errors of the build command to its standard output.
    const { stdout = '', stderr = String(error) } = error as { stdout?: string; stderr?: string }
    throw new Error(`the Worker could not be built: ${stdout}${stderr}`, { cause: error })
  }
  const { workerOptions } = unstable_getMiniflareWorkerOptions(config)
  const manifest: EdgeManifest = {
    workerOptions: workerOptions as EdgeManifest['workerOptions'],
    migrations: migrations(),
  }
  writeFileSync(join(outDir, EDGE_MANIFEST), JSON.stringify(manifest))
}

function migrations(): EdgeManifest['migrations'] {
  const folder = join(root, 'drizzle', 'edge')
  const files = readdirSync(folder).filter((file) => file.endsWith('.sql'))
  return files.toSorted().map((name) => ({
    name,
    statements: unstable_splitSqlQuery(readFileSync(join(folder, name), 'utf8')),
  }))
}
