// npm omits optional platform-specific packages that the configured registry does not have, and `npm ci` rejects a
// lockfile without their entries.
import { readFileSync, writeFileSync } from 'node:fs'

type Entry = {
  version?: string
  dev?: boolean
  optional?: boolean
  optionalDependencies?: Record<string, string>
}
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  packages: Record<string, Entry & Record<string, unknown>>
}
const systems = ['android', 'darwin', 'win32', 'windows', 'linux', 'freebsd', 'openbsd', 'netbsd']
const processors = ['arm64', 'x64', 'amd64', 'ia32', 'arm', 'riscv64', 's390x', 'ppc64', 'loong64']

let added = 0
for (const [parent, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    if (`node_modules/${name}` in lock.packages) continue
    if (`${parent}/node_modules/${name}` in lock.packages) continue
    const words = name.split(/[-/@]/)
    const os = systems.find((system) => words.includes(system))
    const cpu = processors.find((processor) => words.includes(processor))
    lock.packages[`node_modules/${name}`] = {
      version,
      ...(entry.dev ? { dev: true } : {}),
      optional: true,
      ...(cpu ? { cpu: [cpu === 'amd64' ? 'x64' : cpu] } : {}),
      ...(os ? { os: [os === 'windows' ? 'win32' : os] } : {}),
      ...(name.includes('musl') ? { libc: ['musl'] } : {}),
    }
    added++
  }
}
lock.packages = Object.fromEntries(
  Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)),
)
writeFileSync('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`)
console.log(`${added} platform packages added to package-lock.json`)
