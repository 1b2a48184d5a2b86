const SCHEMA = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json'

/**
 * Returns the index of this host's guides (Agent Skills Discovery 0.2.0). The name and the description come from the
 * front matter of the guide. The digest covers the guide as it is served.
 */
export function skillIndex({ text, digest }: { text: string; digest: string }, url: string) {
  const name = /^name: (\S+)$/m.exec(text)?.[1]
  // A double-quoted YAML string is valid JSON if it uses only the escapes of JSON.
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
