{{/*
Lockstep in a pod of your own chart, without building an image:

  spec:
    initContainers:
    {{- include "lockstep.initContainer" . | nindent 4 }}
    containers:
    - image: your/training:image
      command: [/lockstep/bin/lockstep, run, -o, /recordings/{{ .Release.Name }}, --, torchrun, train.py]
      volumeMounts:
      {{- include "lockstep.mount" . | nindent 6 }}
    volumes:
    {{- include "lockstep.volume" . | nindent 4 }}
*/}}
{{- define "lockstep.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "lockstep.initContainer" -}}
- name: lockstep
  image: {{ include "lockstep.image" . }}
  imagePullPolicy: {{ .Values.image.pullPolicy }}
  command: [sh, -c, "cp -R /usr/local/. /lockstep/"]
  volumeMounts:
  - {name: lockstep, mountPath: /lockstep}
{{- end }}

{{- define "lockstep.mount" -}}
- {name: lockstep, mountPath: /lockstep, readOnly: true}
{{- end }}

{{- define "lockstep.volume" -}}
- {name: lockstep, emptyDir: {}}
{{- end }}
