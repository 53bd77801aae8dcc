# syntax=docker/dockerfile:1

# --- Front end: Node comes as a wheel, pinned and hashed like everything else ---
FROM python:3.11-slim-bookworm AS frontend
WORKDIR /src
COPY requirements-build.txt ./
RUN pip install --no-cache-dir --require-hashes -r requirements-build.txt
COPY frontend/package.json frontend/package-lock.json frontend/.npmrc* frontend/
RUN cd frontend && npm ci --ignore-scripts --no-audit --no-fund
COPY frontend frontend
COPY protocols protocols
COPY static static
RUN cd frontend && npm run build

# --- Python packages ---
FROM python:3.11-slim-bookworm AS packages
RUN python -m venv /opt/venv
COPY requirements.txt .
RUN /opt/venv/bin/pip install --no-cache-dir --require-hashes -r requirements.txt

# --- The application ---
FROM python:3.11-slim-bookworm AS application
ENV PATH=/opt/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    EARMARK_PRODUCTION=true \
    EARMARK_DATA_DIR=/var/lib/earmark \
    NUMBA_CACHE_DIR=/var/lib/earmark/kernels
# Figures as PNG and PDF: cairo draws them, with a face that has every sign. Reports and consent texts as PDF: Pango.
RUN apt-get update && apt-get install --yes --no-install-recommends \
    libcairo2 libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0 fonts-dejavu-core \
    && rm -rf /var/lib/apt/lists/*
RUN groupadd --gid 10001 earmark \
    && useradd --uid 10001 --gid earmark --no-create-home --shell /usr/sbin/nologin earmark \
    && install --directory --owner earmark --group earmark /var/lib/earmark /var/lib/earmark/static
COPY --from=packages /opt/venv /opt/venv
WORKDIR /srv/earmark
COPY manage.py ./
COPY config config
COPY core core
COPY audio audio
COPY stimuli stimuli
COPY rating rating
COPY listening listening
COPY analysis analysis
COPY protocols protocols
COPY templates templates
COPY locale locale
COPY docs docs
COPY client/README.md client/README.md
COPY deploy deploy
COPY static static
COPY --from=frontend /src/static/dist static/dist
RUN python -m compileall -q . && python -m babel.messages.frontend compile -d locale -D 'django djangojs'
USER earmark
EXPOSE 8000
HEALTHCHECK --interval=15s --timeout=10s --start-period=30s --retries=4 CMD ["python", "deploy/healthcheck.py", "web"]
CMD ["gunicorn", "--config", "deploy/gunicorn.conf.py", "--bind", "0.0.0.0:8000", "config.wsgi:application"]

# --- The object store: Garage's one program in an image whose folders belong to an ordinary user ---
# Garage, because MinIO's community edition is archived, and because one small program with fsync is all that is needed.
FROM dxflrs/garage:v2.4.1 AS garage
FROM busybox:1.37 AS object-store
COPY --from=garage /garage /usr/local/bin/garage
COPY deploy/garage.toml /etc/garage.toml
RUN adduser -D -H -u 10002 garage && mkdir -p /var/lib/garage/meta /var/lib/garage/data \
    && chown -R garage:garage /var/lib/garage
USER garage
EXPOSE 3900
CMD ["garage", "server", "--single-node", "--default-bucket"]
