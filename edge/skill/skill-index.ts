import type { ServedDocument } from './documents.ts'

const SCHEMA = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json'

/**
 * The index of a host's guides (Agent Skills Discovery 0.2.0): name and description are those of the guide's front matter,
 * the digest is of its bytes as they are served.
 * @param url where the guide is served
 * @throws {Error} where the guide has no such front matter
 */
export function skillIndex({ text, digest }: ServedDocument, url: string) {
  const name = /^name: (\S+)$/m.exec(text)?.[1]
  // A YAML text in double quotes without escapes but JSON's is JSON.
  const description = /^description: (".*")$/m.exec(text)?.[1]
  if (name === undefined || description === undefined)
    throw new Error('the guide’s front matter has no name or no quoted description')
  const skill = {
    name,
    type: 'skill-md',
    description: JSON.parse(description) as string,
    url,
    digest: `sha256:${digest}`,
  }
  return { $schema: SCHEMA, skills: [skill] }
}
