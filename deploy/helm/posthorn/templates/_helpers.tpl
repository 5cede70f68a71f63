{{- define "posthorn.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "posthorn.selector" -}}
app.kubernetes.io/name: posthorn
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "posthorn.labels" -}}
{{ include "posthorn.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "posthorn.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- /* The text of a setting. Helm reads numbers as floating-point, and would write 2.68435456e+08. */ -}}
{{- define "posthorn.setting" -}}
{{- if and (kindIs "float64" .) (eq (floor .) .) -}}
{{- int64 . -}}
{{- else -}}
{{- toString . -}}
{{- end -}}
{{- end -}}

{{- /* Settings that the chart sets itself, or that belong into a secret. */ -}}
{{- define "posthorn.checkSettings" -}}
{{- range $name, $instead := dict
  "POSTHORN_PUBLIC_URL" "set publicUrl"
  "POSTHORN_ADMIN_URL" "set adminUrl"
  "POSTHORN_DATABASE_URL" "put it into the secret that existingSecret names"
  "POSTHORN_ADMIN_TOKEN" "put it into the secret that existingSecret names"
  "POSTHORN_MASTER_KEY" "put it into the secret that existingSecret names"
  "POSTHORN_SMTP_URL" "put it into the secret that existingSecret names"
  "POSTHORN_OIDC_CLIENT_SECRET" "put it into the secret that existingSecret names"
  "POSTHORN_OTLP_HEADERS" "put it into the secret that existingSecret names"
  "POSTHORN_HOST" "leave it out: the chart has the addresses"
  "POSTHORN_PORT" "leave it out: the chart has the ports"
  "POSTHORN_ADMIN_HOST" "leave it out: the chart has the addresses"
  "POSTHORN_ADMIN_PORT" "leave it out: the chart has the ports"
  "POSTHORN_DATA_DIR" "leave it out: nothing is kept in pods"
  "POSTHORN_TLS_CERT_FILE" "leave it out: the ingress speaks TLS, and probes speak HTTP"
  "POSTHORN_TLS_KEY_FILE" "leave it out: the ingress speaks TLS, and probes speak HTTP"
-}}
{{- if hasKey $.Values.settings $name -}}
{{- fail (printf "settings.%s: %s" $name $instead) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* Shared by the nodes and the migration. */ -}}
{{- define "posthorn.container" -}}
{{- include "posthorn.checkSettings" . -}}
image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
envFrom:
  - secretRef:
      name: {{ .Values.existingSecret }}
env:
  - name: POSTHORN_PUBLIC_URL
    value: {{ .Values.publicUrl | quote }}
  - name: POSTHORN_ADMIN_HOST
    value: 0.0.0.0
  - name: POSTHORN_ADMIN_PORT
    value: "8081"
  {{- if not (hasKey .Values.settings "POSTHORN_SHUTDOWN_DELAY") }}
  # Load balancers still send requests to a pod for some seconds after it has got the signal to stop.
  - name: POSTHORN_SHUTDOWN_DELAY
    value: 5s
  {{- end }}
  {{- with .Values.adminUrl }}
  - name: POSTHORN_ADMIN_URL
    value: {{ . | quote }}
  {{- end }}
  {{- range $name, $value := .Values.settings }}
  - name: {{ $name }}
    value: {{ include "posthorn.setting" $value | quote }}
  {{- end }}
resources:
  {{- toYaml .Values.resources | nindent 2 }}
volumeMounts:
  - name: data
    mountPath: /data
  - name: tmp
    mountPath: /tmp
{{- end -}}

{{- define "posthorn.volumes" -}}
- name: data
  emptyDir: {}
- name: tmp
  emptyDir: {}
{{- end -}}
