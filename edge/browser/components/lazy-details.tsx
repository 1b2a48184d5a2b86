import { useState } from 'preact/hooks'
import type { Child, FC } from 'hono/jsx'

type LazyDetailsProps = {
  summary: string
  class?: string
  /** Keeps the content after it was closed. By default it is removed, which also ends its polling. */
  keepsContent?: true
  children?: Child
}

/** Renders its content when it is opened, because the content of many closed ones would make a page large. */
export const LazyDetails: FC<LazyDetailsProps> = ({
  summary,
  class: className,
  keepsContent,
  children,
}) => {
  const [isShown, setShown] = useState(false)
  const toggled = (event: Event) => {
    const { open } = event.currentTarget as HTMLDetailsElement
    setShown(open || (isShown && keepsContent === true))
  }
  return (
    <details {...(className !== undefined && { class: className })} onToggle={toggled}>
      <summary>{summary}</summary>
      {isShown && children}
    </details>
  )
}
