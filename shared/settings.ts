/**
 * What people are told of a setting, kept where it is parsed: `docs/configuration.md` is made of it
 * (`npm run settings-page`), so that the page cannot say what the code does not do.
 */
import { z } from 'zod'

export type SettingMeaning = {
  /** One sentence or more, in Markdown, without a full stop at the end. */
  meaning: string
  /** In Markdown, where the default is not the schema's own, or says more than its value. */
  default?: string
  /** Not to be seen; a text says under which condition. */
  secret?: true | string
  /** What production refuses, in Markdown. */
  production?: string
}

/** Entered with `schema.register(SETTINGS, …)`, the last call of a schema: zod keeps it for that very object. */
export const SETTINGS = z.registry<SettingMeaning>()
