import { createTheme, type MantineColorsTuple } from '@mantine/core'

/** Primary color. The darker shades have enough contrast for white text. */
const horn: MantineColorsTuple = [
  '#eef0ff',
  '#dcdffb',
  '#b5bbf3',
  '#8c95ec',
  '#6a75e6',
  '#5460e2',
  '#4550dd',
  '#3742c4',
  '#2f3ab0',
  '#24309b',
]

/** Bluish grays for the dark scheme. */
const dark: MantineColorsTuple = [
  '#d5d9e2',
  '#b6bcc9',
  '#a3aab8',
  '#7b8294',
  '#3b404e',
  '#2e323d',
  '#1b1e26',
  '#14161c',
  '#101217',
  '#0b0c10',
]

export const theme = createTheme({
  primaryColor: 'horn',
  colors: { horn, dark },
  primaryShade: { light: 7, dark: 6 },
  defaultRadius: 'md',
  fontFamily:
    'Inter, "Inter Fallback", ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif',
  fontFamilyMonospace:
    '"JetBrains Mono", ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "Liberation Mono", monospace',
  headings: {
    fontWeight: '650',
    sizes: { h1: { fontSize: '1.5rem' }, h2: { fontSize: '1.125rem' }, h3: { fontSize: '1rem' } },
  },
  cursorType: 'pointer',
  respectReducedMotion: true,
  autoContrast: true,
  components: {
    Tooltip: { defaultProps: { openDelay: 200, multiline: true, maw: 320 } },
    Modal: {
      defaultProps: { centered: true, closeButtonProps: { 'aria-label': 'Close' } },
      styles: { title: { fontWeight: 600 } },
    },
    Notification: {
      defaultProps: { closeButtonProps: { 'aria-label': 'Dismiss' } },
      styles: { description: { color: 'var(--mantine-color-dimmed)' } },
    },
    // Its placeholder for the initial focus is not a valid child of a menu.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    Badge: { defaultProps: { variant: 'light', radius: 'sm' } },
  },
})
