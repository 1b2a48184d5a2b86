/** The Worker as wrangler builds it for a deployment: a folder of modules. */
import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The Worker's own configuration. */
export const EDGE_CONFIG = join(root, 'wrangler.toml')

/** @throws {Error} with what wrangler printed */
export function bundleEdge(config: string, outDir: string): void {
  mkdirSync(outDir, { recursive: true })
  const wrangler = join(root, 'node_modules', 'wrangler', 'bin', 'wrangler.js')
  const args = [wrangler, 'deploy', '--dry-run', '--config', config, '--outdir', outDir]
  const env = {
    ...process.env,
    WRANGLER_SEND_METRICS: 'false',
    CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  }
  try {
    execFileSync(process.execPath, args, { env, stdio: 'pipe' })
  } catch (error) {
    const { stderr } = error as { stderr?: Buffer }
    throw new Error(`the Worker does not build: ${stderr?.toString() ?? String(error)}`, {
      cause: error,
    })
  }
}
