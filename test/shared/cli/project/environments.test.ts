import { afterAll, expect, it } from 'vitest'
import { svc } from '../command-line.ts'
import { FILE, projectFolder, removeProjectFolders } from './project-folder.ts'

afterAll(removeProjectFolders)

const NAMED = 'http://127.0.0.1:9'
const STAGED = {
  ...FILE,
  environments: { staging: { base_url: NAMED, triggers_url: NAMED } },
}

const deploy = async (variables: Record<string, string>) => {
  const folder = projectFolder({ 'svc.json': STAGED })
  const environment = { SVC_CONFIG_DIR: folder, ...variables }
  return svc(['deploy', '--env', 'staging', '--yes'], { folder, environment })
}

it.each(['SVC_API_KEY', 'SVC_API_KEY_FILE', 'SVC_TOKEN', 'SVC_TOKEN_FILE', 'SVC_USAGE_KEY'])(
  'a host in svc.json does not get the secret in %s',
  async (variable) => {
    const { code, err } = await deploy({
      [variable]: 's3cret',
      SVC_BASE_URL: 'https://example.com',
    })
    expect(code).toBe(2)
    expect(err).toContain(
      `the file names ${NAMED}, and ${variable} may belong to another deployment`,
    )
    expect(err).not.toContain('s3cret')
  },
)

it('a host in svc.json gets the secrets of variables if it is confirmed', async () => {
  const { err } = await deploy({
    SVC_API_KEY: 's3cret',
    SVC_BASE_URL: `${NAMED}/`,
    SVC_TOKEN: 't0ken',
    SVC_TRIGGERS_URL: NAMED,
  })
  expect(err).not.toContain('may belong to another deployment')
})
